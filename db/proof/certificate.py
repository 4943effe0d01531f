"""Certificate of a verdict: what proving a trap found, kept so that it is checked in place of being searched for again.

A certificate is of one trap and of one set of means: it names position, bait, killer line, outcome and reason as they
were given, and has a digest of all that is in it; the file that it is in (`db.formats.bundled`) names provers, versions
and budgets. One that does not fit in any of this, or fails a check below, is refused, and the trap is proved as without
one. What is checked, beside every rule that `Trap.check` has:

**Mate.** The whole tree of the mate is replayed by python-chess: against every defence the attacker mates in time, and
the killer line is a line of the tree. That a named other move of the victim is safe is shown by the prover anew. So the
verdict is as certain as a new one. That no mate is shorter was shown when the certificate was made, and is not again.

**Material.** A verdict of the trap test is a measurement; only measuring again would show the figures of its last
depths. Checked is that they give the verdict and the gain by the rules of the test, that the killer line and the best
move are legal, and that first sight and the values at one depth, `REPEATED` at most, come out the same to the centipawn
when they are searched again. So a certificate of another search is noticed even where the version is the same; of many
certificates a part is enough for that (`db.formats.bundled_certificates.check_certificates`).

Other verdicts (a mate that was refuted, a bait that is the only legal move) have no certificate: to prove them again
takes no longer than to check one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from db.proof.prover import SAFE_FROM, TrapProver, blank
from db.traps.temptation import Profile, profile_of
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import InputError
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import prove_bait
from trapcore.proof.mate_tree import mate_tree, replay_tree
from trapcore.proof.search import search
from trapcore.proof.trap_test import TEMPTING_GAIN, TEMPTING_RANK, BaitTest
from trapcore.proof.verdict import DepthValue, Verdict

REPEATED = 4
"""Most plies, the bait included, at which the search is repeated: the certificate says at how many."""

_FIRST_LOOK = 1000  # nodes, when a safe move is searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was found, of one trap. Moves are UCI, lines divided by spaces."""

    position: str
    """EPD before the bait."""
    bait: str
    line: str
    """The killer line as it was given."""
    is_known_as_none: bool
    """The trap has a reason why it is none."""
    found: str = ""
    """The killer line of the proof."""
    nodes: int = 0
    """What the proof took."""
    rank: int = 0
    gain: int = 0
    """How the bait looks at first sight, see `Profile`."""
    depths: tuple[tuple[int, int, int], ...] = ()
    """Depth, and values of the bait and of the best other move."""
    repeated: int = 0
    """Depth of which a search that begins with nothing sees the values too; 0 if there is none, as of a mate in one."""
    best: str | None = None
    """Best other move; only of material."""
    tree: str = ""
    """Of the mate, see `trapcore.proof.mate_tree`; empty if it is none."""
    safe: str = ""
    """A move that is not mated in time; only of a mate."""

    @property
    def digest(self) -> str:
        """SHA-256 of all fields, the first 32 of its hexadecimal digits."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:32]

    def to_dict(self) -> dict[str, object]:
        """Fields and digest, as JSON has them."""
        return asdict(self) | {"digest": self.digest}

    @classmethod
    def from_dict(cls, fields: Mapping[str, object]) -> "Certificate":
        """A certificate out of its JSON. Raises `InputError` for one that is bad or was changed."""
        kept = dict(fields)
        digest = kept.pop("digest", None)
        try:
            depths = tuple(tuple(row) for row in kept.pop("depths"))  # type: ignore[attr-defined]
            made = cls(**kept, depths=depths)  # type: ignore[arg-type]
        except (KeyError, TypeError) as error:
            raise InputError(f"this is no certificate: {error}") from error
        if made.digest != digest:
            raise InputError(f"the certificate of {made.bait} in {made.position} was changed")
        return made


def certify(trap: Trap, prover: TrapProver) -> Certificate | None:
    """The certificate of a trap that has passed `Trap.check`, which is proved for that; None if its verdict is one that
    has none.
    """
    if trap.is_forced:
        return None
    given = Certificate(
        position=trap.epd,
        bait=trap.bait,
        line=" ".join(trap.killer_line),
        is_known_as_none=bool(trap.reason),
    )
    if trap.outcome is Outcome.MATERIAL:
        test = prover.look(trap)
        if test.mate_in is not None or not test.killer_line:
            return None
        given = replace(given, found=" ".join(test.killer_line), best=test.best, nodes=test.nodes)
        return _with_profile(trap, given, profile_of(test))
    proved = prover.prove_checked(trap)
    if proved.verdict is not Verdict.PROVED or proved.profile is None:
        return None
    given = replace(
        given,
        found=" ".join(proved.killer_line),
        nodes=proved.proof_nodes,
        tree=" ".join(mate_tree(trap.epd, trap.bait, proved.killer_line)),
        safe=_safe_move(proved, prover),
    )
    return _with_profile(trap, given, proved.profile)


def check_certificate(trap: Trap, certificate: Certificate, prover: TrapProver, *, search_again: bool = True) -> Trap:
    """What `prover` makes of the trap, its own search replaced by the certificate.

    The trap has passed `Trap.check`. Without ``search_again`` no search is compared with the certificate. Raises
    `InputError` if the certificate does not fit the trap or does not stand a check, see the head of this file, and
    `EngineError` as the prover does.
    """
    about = (certificate.position, certificate.bait, certificate.line, certificate.is_known_as_none)
    if about != (trap.epd, trap.bait, " ".join(trap.killer_line), bool(trap.reason)):
        raise InputError(f"the certificate is of another trap than {trap.slug}")
    if (trap.outcome is Outcome.MATE) != bool(certificate.tree):
        raise InputError(f"the certificate of {trap.slug} is not of one that ends in {trap.outcome}")
    if search_again:
        _look_again(trap, certificate)
    return _mate(trap, certificate, prover) if certificate.tree else _material(trap, certificate, prover)


def _mate(trap: Trap, certificate: Certificate, prover: TrapProver) -> Trap:
    line = tuple(certificate.found.split())
    replay_tree(trap.epd, trap.bait, line, certificate.tree.split())
    mate_in = (len(line) + 1) // 2
    if certificate.safe == trap.bait or not _is_safe(trap, certificate.safe, mate_in, prover.prover_nodes):
        raise InputError(f"{certificate.safe} is not shown to be safe where {trap.slug} begins")
    found = replace(
        blank(trap),
        killer_line=line,
        verdict=Verdict.PROVED,
        mate_in=mate_in,
        profile=_profile(certificate),
        proof_by=_native.PROVER_VERSION,
        proof_nodes=certificate.nodes,
    )
    found.check()
    return prover.judge(trap, found)


def _material(trap: Trap, certificate: Certificate, prover: TrapProver) -> Trap:
    verdict, loss = _native.judge_depths(certificate.depths)
    test = BaitTest(
        bait=trap.bait,
        forced=False,
        verdict=Verdict(verdict),
        mate_in=None,
        best=certificate.best,
        killer_line=tuple(certificate.found.split()),
        loss=loss,
        depths=_profile(certificate).depths,
        rank=certificate.rank,
        gain=certificate.gain,
        tempts=certificate.rank <= TEMPTING_RANK or certificate.gain >= TEMPTING_GAIN,
        nodes=certificate.nodes,
    )
    # Legal moves have a notation.
    _native.sans(trap.epd, [trap.bait, *test.killer_line])
    if test.best == trap.bait or not _native.sans(trap.epd, [test.best or trap.bait]):
        raise InputError(f"the best other move of {trap.slug} is the bait itself")
    proved = prover.prove_tested(trap, test)
    proved.check()
    return proved


def _look_again(trap: Trap, certificate: Certificate) -> None:
    """Raise `InputError` unless first sight and a shallow search see what the certificate has."""
    seen, written = _native.first_sight(trap.epd, trap.bait), (certificate.rank, certificate.gain)
    if seen != written:
        raise InputError(f"at first sight {trap.slug} has rank and gain {seen}, the certificate has {written}")
    if certificate.repeated != _repeated(trap, certificate):
        raise InputError(f"a search of depth {certificate.repeated} does not see {trap.slug} as the certificate does")


def _repeated(trap: Trap, certificate: Certificate) -> int:
    """The greatest depth, `REPEATED` at most, that a search sees as the certificate does; 0 for none.

    A search that begins with nothing need not see what a longer one saw at a depth.
    """
    shallow = (row for row in reversed(certificate.depths) if 2 <= row[0] <= REPEATED)
    return next((row[0] for row in shallow if _is_seen(trap, certificate, row)), 0)


def _is_seen(trap: Trap, certificate: Certificate, row: tuple[int, int, int]) -> bool:
    """Whether searches of that depth see the values of the bait and of the best other move."""
    depth, bait, best = row
    board = trap.board()
    others = [uci for move in board.legal_moves if (uci := board.uci(move)) != trap.bait]
    if search(trap.epd, Budget(depth=depth), only=others).value != best:
        return False
    killer = certificate.found.split()[0]
    board.push_uci(trap.bait)
    # In these ways the test asks about the answers, about those of a mate in the last one.
    asked: list[tuple[Sequence[str], Sequence[str]]] = [((killer,), ()), ((), (killer,)), ((), ())]
    if certificate.tree:
        asked.reverse()
    after = board.fen()
    answers = (search(after, Budget(depth=depth - 1), first=first, only=only) for first, only in asked)
    return any(-answer.value == bait for answer in answers)


def _safe_move(trap: Trap, prover: TrapProver) -> str:
    """A move of the victim that is not mated in time, of those that are shown so quickest."""
    board = trap.board()
    others = [uci for move in board.legal_moves if (uci := board.uci(move)) != trap.bait]
    nodes = _FIRST_LOOK
    while nodes <= prover.escape_nodes:
        for move in others:
            if _is_safe(trap, move, trap.length, nodes):
                return move
        nodes *= 4
    raise InputError(f"no safe move is found where {trap.slug} begins, though it was proved that there is one")


def _is_safe(trap: Trap, move: str, mate: int, nodes: int) -> bool:
    proof = prove_bait(trap.epd, move, (), min(mate, SAFE_FROM), Budget(nodes=nodes))
    return proof.verdict is Verdict.REFUTED


def _profile(certificate: Certificate) -> Profile:
    depths = tuple(DepthValue(*row) for row in certificate.depths)
    return Profile(rank=certificate.rank, gain=certificate.gain, depths=depths)


def _with_profile(trap: Trap, certificate: Certificate, profile: Profile) -> Certificate:
    depths = tuple((each.depth, each.bait, each.best) for each in profile.depths)
    made = replace(certificate, rank=profile.rank, gain=profile.gain, depths=depths)
    return replace(made, repeated=_repeated(trap, made))
