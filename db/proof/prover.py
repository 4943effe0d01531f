"""Proof of a trap. A mate is a matter of proof, material one of measurement; nothing else is claimed.

**Mate.** Proved if the prover shows that the bait loses to a mate within as many moves as the killer line takes, and
some other move of the victim is shown not to lose to a mate within that many. Refuted if the bait does not lose so
quickly, or every other move does too. Undecided if the budget ran out. The killer line is kept if it
is as short as can be and each of the attacker's moves in it is shown to force the mate; otherwise the prover's line
takes its place. Every line is replayed by python-chess, which shares no code with the prover.

That another move is safe is shown for mates of up to three moves; to exclude longer ones takes all night.

**Material, by our own search** (`trapcore.proof.trap_test`). Proved if the bait costs at least .3 of win chance at the
last three depths; a second look, with four times the nodes, follows where the first one does not prove it. Otherwise
undecided: that a search of ten plies sees no gain does not refute one. Only where a line
is known as no trap (`Trap.reason`) does the search refute it when it sees no loss of .3, because there it confirms what
is known.

A trap that is said to win material and turns out to be a mate is treated as one.

**A bait that is the only legal move** is no trap, and nothing is refuted by that: it is a mate, or a win, without a
choice. It stays undecided as a trap, and what was proved of it is its reason (`Trap.reason`), in words. No engine is
asked.

**By an engine**, for any outcome. A UCI engine measures lichess's win chance before the bait with the best move,
after the bait, and after the killer line, each with a node limit and again with four times as many. Proved if both
times the bait gives away at least .3, and the attacker stands at .3 or better both right after it and at the end of the
line. Refuted if both times one of these fails. Otherwise undecided. That the best move keeps what the bait loses makes
the trap avoidable. An engine's word is no proof in logic: the engine, its nodes and its depth are stored with it.

**The verdict.** Each of these is an opinion (`db.traps.opinion`), and all are stored side by side. The trap's own
verdict follows from them; the first rule that applies counts:

1. A decision of the mate prover stands against all others: it is a proof.
2. If one opinion is `proved` and another `refuted`, they contradict each other, and the trap is undecided. The reason
   why a line is no trap counts as a refutation here, so that no search alone proves what is known to be none.
3. That a line ends in mate is proved by the mate prover or not at all; an engine can refute it.
4. Our search's decision stands, else that of the first engine by name. If nobody has one, the trap is undecided.

Gain, nodes and depth of the trap are those of the opinion that decided; of an undecided trap, those of the first one.
Opinions of engines that are not asked this time stay, as long as the killer line does.

**How the bait looks** by depth (`db.traps.temptation`) is found on the way, for mates by a small search of their own.
It decides nothing here.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

from db.proof.engine_rule import DEEPER, judge_bait
from db.traps.opinion import Opinion, today
from db.traps.temptation import profile_of
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import MAX_MATE, Proof, prove_bait, replay
from trapcore.proof.trap_test import BaitTest, check_bait
from trapcore.proof.verdict import Verdict

PROVER_NODES = 2_000_000
"""Nodes for each single question to the prover."""

ESCAPE_NODES = 20 * PROVER_NODES
"""Nodes for all questions about the victim's other moves together."""

SEARCH_NODES = 100_000
"""Usual budget of our own search for each of its four questions about a gain."""

DEEPER_NODES = 4 * SEARCH_NODES
"""Usual budget of its second look."""

PROFILE_NODES = 10_000
"""Usual budget of the small search that shows how the bait of a mate looks by depth, for each of its questions."""

SAFE_FROM = 3
"""Moves: longest mate that another move of the victim has to be shown not to allow."""

_FIRST_LOOK = 1000  # nodes; most traps have a move that is shown to be safe so quickly, if it is asked about at all


@dataclass(frozen=True, slots=True)
class TrapProver:
    """Proves traps with these means."""

    engine: UciEngine | None = None
    engine_nodes: int = 400_000
    """Per position, 1 or more; the second measurement takes `DEEPER` times as many."""
    prover_nodes: int = PROVER_NODES
    """Per question to the prover, 1 or more."""
    escape_nodes: int = ESCAPE_NODES
    """For the question whether some other move is safe, 1 or more."""
    search_nodes: int = 0
    """For each question of our own search about a gain of material; 0 leaves such traps to an engine."""
    deeper_nodes: int = 0
    """The same for a second look where the first one does not prove the gain; 0 for none. A line that is known as none
    gets no second look."""
    profile_nodes: int = PROFILE_NODES
    """For each question of the search that shows how the bait of a mate looks, 1 or more."""

    @property
    def means(self) -> str:
        """Provers, engine and budgets in one line: with the same means the same comes out."""
        ours = (
            f"{_native.PROVER_VERSION} {self.prover_nodes} {self.escape_nodes} {self.profile_nodes}, "
            f"{_native.TESTER_VERSION} {self.search_nodes} {self.deeper_nodes}"
        )
        return ours if self.engine is None else f"{ours}, {self.engine.name} {self.engine_nodes}"

    def prove(self, trap: Trap) -> Trap:
        """The trap with all opinions, its verdict and its profile, and with a shorter killer line if one was found.

        Raises `InputError` for a bad trap or for a proof that does not hold when it is replayed, and
        `EngineError` if the engine fails.
        """
        trap.check()
        return self.prove_checked(trap)

    def prove_checked(self, trap: Trap) -> Trap:
        """The same for a trap that has passed `Trap.check`."""
        fresh = blank(trap)
        if trap.is_forced:
            return self._forced(fresh)
        if trap.outcome is Outcome.MATE:
            proved = self._mated(fresh)
        else:
            proved = self._searched(fresh) if self.search_nodes else fresh
        return self.judge(trap, proved)

    def prove_tested(self, trap: Trap, test: BaitTest) -> Trap:
        """The same for a trap of material whose bait was put to the test already."""
        return self.judge(trap, self._tested(blank(trap), test))

    def ask_engine(self, trap: Trap) -> tuple[Trap, Opinion]:
        """A trap as it was judged, with the opinion of the engine, which there must be. Raises `EngineError`."""
        assert self.engine is not None
        evaluated = self.judge(trap, trap)
        return evaluated, next(opinion for opinion in evaluated.opinions if opinion.by == self.engine.name)

    def judge(self, trap: Trap, proved: Trap) -> Trap:
        """What our own means made of a trap, with the opinions of engines, new and stored."""
        opinions = [_own(proved)] if proved.proof_by else []
        if proved.killer_line == trap.killer_line:
            opinions += [opinion for opinion in trap.opinions if not opinion.is_ours]
        if self.engine is not None:
            measured = _measured(proved, self.engine, self.engine_nodes)
            opinions = [*(opinion for opinion in opinions if opinion.by != measured.by), measured]
        return _with_verdict(proved, opinions)

    def _forced(self, trap: Trap) -> Trap:
        """The trap with the reason why it is none, as far as that was proved."""
        if trap.outcome is Outcome.MATE:
            found = prove_bait(
                trap.epd, trap.bait, trap.killer_line[:1], min(trap.length, MAX_MATE), Budget(nodes=self.prover_nodes)
            )
            lost = "" if found.mate_in is None else f"a mate in {found.mate_in} without a choice: "
            by, nodes = _native.PROVER_VERSION, found.nodes
        elif self.search_nodes:
            test = check_bait(trap.epd, trap.bait, trap.killer_line[:1], Budget(nodes=self.search_nodes))
            lost = "a win without a choice: " if test.verdict is Verdict.PROVED else ""
            by, nodes = _native.TESTER_VERSION, test.nodes
        else:
            lost, by, nodes = "", "", 0
        return replace(trap, reason=f"{lost}the bait is the only legal move", proof_by=by, proof_nodes=nodes)

    def _mated(self, trap: Trap) -> Trap:
        test = check_bait(trap.epd, trap.bait, trap.killer_line[:1], Budget(nodes=self.profile_nodes))
        return _Mate(replace(trap, profile=profile_of(test)), self.prover_nodes, self.escape_nodes).proved()

    def look(self, trap: Trap) -> BaitTest:
        """What our own search sees of a gain of material, at the second look if need be; with the nodes of both."""
        first = check_bait(trap.epd, trap.bait, trap.killer_line[:1], Budget(nodes=self.search_nodes))
        if first.verdict is Verdict.PROVED or trap.reason or not self.deeper_nodes:
            return first
        again = check_bait(trap.epd, trap.bait, trap.killer_line[:1], Budget(nodes=self.deeper_nodes))
        return replace(again, nodes=first.nodes + again.nodes)

    def _searched(self, trap: Trap) -> Trap:
        return self._tested(trap, self.look(trap))

    def _tested(self, trap: Trap, test: BaitTest) -> Trap:
        trap = replace(trap, profile=profile_of(test))
        proved = test.verdict is Verdict.PROVED
        if proved and test.mate_in is not None:
            mate = replace(trap, outcome=Outcome.MATE, killer_line=test.killer_line)
            return _Mate(mate, self.prover_nodes, self.escape_nodes).proved()
        line = trap.killer_line
        if proved and not trap.reason and test.killer_line[0] != line[0]:
            # The line that people know stays only if its killer is the one that was shown to win.
            line = _before_mate(trap, test.killer_line)
        confirmed = test.verdict is Verdict.REFUTED and trap.reason
        return replace(
            trap,
            verdict=test.verdict if proved or confirmed else Verdict.UNDECIDED,
            killer_line=line,
            gain=round(max(0.0, test.loss), 4),
            proof_by=_native.TESTER_VERSION,
            proof_nodes=test.nodes,
            proof_depth=test.depths[-1].depth if test.depths else None,
        )


@contextmanager
def open_prover(engine: str | None, engine_nodes: int | None) -> Iterator[TrapProver]:
    """A judge with the usual budgets, and with an engine that is started now and ended afterwards if one is named.

    None for ``engine_nodes`` is the usual number.

    Raises `EngineError`.
    """
    with nullcontext() if engine is None else UciEngine(engine) as running:
        prover = TrapProver(engine=running, search_nodes=SEARCH_NODES, deeper_nodes=DEEPER_NODES)
        yield prover if engine_nodes is None else replace(prover, engine_nodes=engine_nodes)


def blank(trap: Trap) -> Trap:
    """The trap without any verdict or opinion."""
    return replace(
        trap,
        verdict=Verdict.UNDECIDED,
        mate_in=None,
        gain=None,
        proof_by="",
        proof_nodes=0,
        proof_depth=None,
        opinions=(),
    )


def _own(trap: Trap) -> Opinion:
    """Opinion that our own means have just formed of a trap."""
    return Opinion(
        by=trap.proof_by,
        verdict=trap.verdict,
        gain=trap.gain,
        nodes=trap.proof_nodes,
        depth=trap.proof_depth,
        date=today(),
    )


def _with_verdict(trap: Trap, opinions: Iterable[Opinion]) -> Trap:
    """The trap with these opinions and the verdict that follows from them."""
    trap = replace(trap, opinions=tuple(sorted(opinions, key=lambda opinion: (not opinion.is_ours, opinion.by))))
    if not trap.opinions:
        return trap
    decided = _deciding(trap)
    shown = decided if decided is not None else trap.opinions[0]
    return replace(
        trap,
        verdict=Verdict.UNDECIDED if decided is None else decided.verdict,
        mate_in=trap.mate_in if shown.is_proof else None,
        gain=shown.gain,
        proof_by=shown.by,
        proof_nodes=shown.nodes,
        proof_depth=shown.depth,
    )


def _deciding(trap: Trap) -> Opinion | None:
    """The opinion that the verdict rests upon, by the rules at the head of this file; None if there is none."""
    if trap.opinions[0].is_proof:
        return trap.opinions[0]
    if trap.is_disputed:
        return None
    deciding = {Verdict.REFUTED} if trap.outcome is Outcome.MATE else {Verdict.PROVED, Verdict.REFUTED}
    return next((opinion for opinion in trap.opinions if opinion.verdict in deciding), None)


def prove_all(
    prover: TrapProver, traps: Iterable[Trap], jobs: int = 1, *, checked: bool = False
) -> Iterator[tuple[Trap, Trap | InputError]]:
    """Each trap with what `TrapProver.prove` makes of it, or its error, in order; ``jobs`` (1 or more) at the same
    time.

    With an engine, which can do but one thing at a time, ``jobs`` does not count. ``checked`` says that `Trap.check`
    was called. Raises `EngineError`.
    """
    prove = prover.prove_checked if checked else prover.prove

    def proved(trap: Trap) -> tuple[Trap, Trap | InputError]:
        try:
            return trap, prove(trap)
        except InputError as error:
            return trap, error

    if jobs == 1 or prover.engine is not None:
        yield from map(proved, traps)
        return
    with ThreadPoolExecutor(jobs, thread_name_prefix="prove") as pool:
        yield from pool.map(proved, traps)


class _Mate:
    """One trap that ends in mate, and the nodes spent on it."""

    def __init__(self, trap: Trap, budget: int, escape_budget: int) -> None:
        self._trap = trap
        self._budget = budget
        self._escape_budget = escape_budget
        self._spent = 0
        self._moves = (len(trap.killer_line) + 1) // 2

    def proved(self) -> Trap:
        trap = self._trap
        if self._moves > MAX_MATE:
            return trap
        proof = self._ask(trap.epd, trap.bait, trap.killer_line[:1], self._moves)
        if proof.verdict is not Verdict.PROVED or proof.mate_in is None:
            return self._result(trap, proof.verdict)
        replay(proof, trap.epd, trap.bait)
        line = trap.killer_line
        if line != proof.line and (len(proof.line) < len(line) or not self._forced()):
            line = proof.line
        trap = replace(trap, killer_line=line)
        verdict = self._avoidable(proof.mate_in)
        return self._result(trap, verdict, proof.mate_in if verdict is Verdict.PROVED else None)

    def _ask(self, fen: str, move: str, killers: tuple[str, ...], mate: int, nodes: int | None = None) -> Proof:
        budget = Budget(nodes=self._budget if nodes is None else nodes)
        proof = prove_bait(fen, move, killers, mate, budget)
        self._spent += proof.nodes
        return proof

    def _result(self, trap: Trap, verdict: Verdict, mate_in: int | None = None) -> Trap:
        return replace(trap, verdict=verdict, mate_in=mate_in, proof_by=_native.PROVER_VERSION, proof_nodes=self._spent)

    def _forced(self) -> bool:
        """Whether after each of the attacker's moves in the given line every defence loses in time."""
        board = self._trap.board()
        board.push_uci(self._trap.bait)
        for number, move in enumerate(self._trap.killer_line):
            board.push_uci(move)
            left = self._moves - 1 - number // 2
            if number % 2 == 1 or left == 0:
                continue
            for defence in board.legal_moves:
                if self._ask(board.fen(), board.uci(defence), (), left).verdict is not Verdict.PROVED:
                    return False
        return True

    def _avoidable(self, mate: int) -> Verdict:
        """Proved if some other move is not mated within ``mate`` moves (at most `SAFE_FROM`), refuted if none is."""
        board = self._trap.board()
        others = [uci for move in board.legal_moves if (uci := board.uci(move)) != self._trap.bait]
        last = self._spent + self._escape_budget
        nodes = min(_FIRST_LOOK, self._escape_budget)
        while others:
            reached = {}
            for move in others:
                if self._spent + nodes > last:
                    return Verdict.UNDECIDED
                proof = self._ask(self._trap.epd, move, (), min(mate, SAFE_FROM), nodes)
                if proof.verdict is Verdict.REFUTED:
                    return Verdict.PROVED
                if proof.verdict is Verdict.UNDECIDED:
                    reached[move] = proof.refuted_to
            # Next time the moves come first for which most is excluded already.
            others = sorted(reached, key=lambda move: -reached[move])
            nodes *= 4
        return Verdict.REFUTED


def _before_mate(trap: Trap, line: tuple[str, ...]) -> tuple[str, ...]:
    """The line without a mate at its end, which the search saw but the prover did not prove."""
    board = trap.board()
    for move in (trap.bait, *line):
        board.push_uci(move)
    return line[:-2] or line[:1] if board.is_checkmate() else line


def _measured(trap: Trap, engine: UciEngine, nodes: int) -> Opinion:
    """What the engine says of the trap."""
    found = judge_bait(engine, trap.board(), trap.bait, trap.killer_line, nodes)
    return Opinion(
        by=engine.name,
        verdict=found.verdict,
        gain=round(found.loss, 4),
        nodes=DEEPER * nodes,
        depth=found.depth,
        date=today(),
    )
