"""The Rust core. Everything here releases the GIL while it works and raises the errors of ``trapcore.errors``.

A FEN may leave out its counters (an EPD is accepted); Chess960 castling rights are read in X-FEN or Shredder form.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self, final

PROVER_VERSION: str
"""Name of the prover and of its rules, stored with every proof, e.g. ``mate-1``."""
POSITION_KEY_VERSION: int
FINGERPRINT_VERSION: int

def epd(fen: str) -> str:
    """The canonical EPD: pieces, side to move, castling (X-FEN), en passant only if such a capture is legal."""

def plain_fen(text: str) -> str:
    """A FEN from what people hand on: the address of a board on lichess, underscores for spaces, no castling field."""

def position_key(fen: str) -> bytes:
    """16 bytes: BLAKE2b-128 of the canonical EPD in ASCII. Frozen; see ``POSITION_KEY_VERSION``."""

def fingerprint(fen: str) -> bytes:
    """The from-to labels of the local tree of depth 2, packed: sorted label ids as delta varints (LEB128)."""

@final
class Fingerprints:
    """Fingerprints of many positions, held in memory to be compared with others: the paper's continuations of depth 2
    under from-to labels, at a nanosecond a pair or less. Exact."""

    def __new__(cls, fingerprints: Iterable[bytes], *, kernel: str | None = None) -> Self:
        """``fingerprints`` are numbered from 0. ``kernel``, one of `kernels`, is for comparison only: without it, the
        fastest is taken. Raises ``ValueError`` for what is no fingerprint of this version."""

    def __len__(self) -> int: ...
    @staticmethod
    def kernels() -> list[str]:
        """The kinds of inner loop that this processor can run, the fastest first."""

    def similar(self, fingerprints: Iterable[bytes], threshold: float) -> list[list[tuple[int, float]]]:
        """For each fingerprint the numbers of those at least so similar (0 to 1), ascending, with their similarity.

        Asking about some dozens at once takes a fraction of the time for each."""

    def nearest(self, fingerprints: Iterable[bytes], k: int) -> list[list[tuple[int, float]]]:
        """For each fingerprint the ``k`` (1 or more) that are most similar, and all that are as similar as the last of
        them: number and similarity, by number."""

def perft(fen: str, depth: int) -> int:
    """Number of leaves of the legal move tree."""

def continuations(a: str, b: str, depth: int, labels: str, captures: bool) -> float: ...
def sequences(a: str, b: str, depth: int, labels: str, captures: bool, prefixes: bool) -> float: ...
def sequence_ids(fen: str, depth: int, labels: str, captures: bool) -> bytes:
    """The lines that `sequences` compares, without shorter ones, as 64-bit numbers in the machine's byte order: equal
    lines of any two positions have equal numbers. Ascending, each as often as it occurs."""

def tanimoto(a: str, b: str, depth: int, labels: str, captures: bool, prefixes: bool) -> float: ...
def tree_edit(a: str, b: str, depth: int, labels: str, captures: bool) -> float | None:
    """P_tree of trees of depth 1 or 2, the children of each node in the alphabetical order of their labels; None if one
    of them has more than 12,000 moves."""

def structural(
    a: str, b: str, base: str, depth: int, labels: str, captures: bool, unpaired: str, root: str | None
) -> float: ...
def sampled_structural(
    a: str, b: str, base: str, depth: int, labels: str, captures: bool, children: int, seed: int
) -> tuple[float, float]:
    """The estimate and its standard error; ``seed`` is 0..2**64-1."""

def match_moves(
    a: str, b: str, labels: str, captures: bool, to_root: bool, only: str | None, top: int
) -> list[tuple[str, str, int, int, float, list[tuple[str, str]]]]:
    """Pairs of replies, the most frequent first: both labels, how often they were paired, of how often both were there,
    their mean distance, and the first moves of both positions after which they were paired."""

def reply_names(fen: str, labels: str, captures: bool) -> list[str]:
    """The labels of all moves at the second ply, alphabetically."""

def move_count_ratio(a: str, b: str) -> float:
    """Fewer over more legal moves; 1.0 when neither has any."""

def board_similarity(a: str, b: str) -> float:
    """1 - (squares that differ) / 64: the control of the paper, as a similarity."""

def give_way() -> None:
    """From now on the long calls that this thread makes are worked on at a lower priority."""

@final
class Cancellation:
    """Lets another thread end a call that was given it: the call returns as if its budget had run out."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """End all calls that have it, soon and for good."""

    @property
    def is_cancelled(self) -> bool: ...
    def __enter__(self) -> Self:
        """Every long call of the core that this thread makes in the block ends with the cancellation; one that was
        given none itself then raises `RuntimeError`."""

    def __exit__(self, *error: object) -> None: ...

def prove_mate(
    fen: str,
    mate: int,
    nodes: int,
    milliseconds: int | None,
    stop: Cancellation | None,
    first: Sequence[str] = ...,
    bait: str | None = None,
) -> tuple[str, int | None, list[str], int, int]:
    """Verdict (``proved``, ``refuted``, ``undecided``), mate distance in moves, main line (UCI), nodes spent, and the
    distance up to which no mate was shown not to exist (0 when nothing was refuted); ``first`` are the moves (UCI) to
    try before the others. With a ``bait`` (UCI) all this is of the position after it."""

INACCURACY: float
MISTAKE: float
BLUNDER: float
WIN_CHANCE_SCALE: float
"""See `trapcore.win_chance`."""
GREATEST_SIMILARITY: float  # of another position than the trap's own, which has 1
TOLD: float
TEMPTING_RANK: int
TEMPTING_GAIN: int
"""The rules of the trap test, see `trapcore.proof.trap_test`."""
PROOF: int
"""Nodes of a `JudgedPosition` that is decided: more than any search has."""
ENGINE: int
"""Added to the nodes of an engine, which counts more than any search of ours."""
PASS_NODES: int
"""Nodes of our first look at each position of a game."""
LOOK_NODES: int
"""Nodes of an engine's first look at each position; no first look has more."""
TOLD_PLIES: int
"""Moves of a line that say what it is about."""
MATE: int
MATE_BOUND: int
"""How the search writes mates, see `trapcore.proof.search`."""
TESTER_VERSION: str
"""Name of the trap test and of the search behind it, stored with every proof of a gain, e.g. ``trapline-search-8``."""

def lengthened(fen: str, line: Sequence[str]) -> list[str]:
    """The line (UCI), with what searches find behind it if it has fewer than `TOLD_PLIES` moves; not an empty one."""

def search(
    fen: str,
    moves: Sequence[str],
    depth: int,
    nodes: int,
    milliseconds: int | None,
    stop: Cancellation | None,
    first: Sequence[str] = ...,
    only: Sequence[str] = ...,
) -> tuple[int, int | None, int, list[str], int]:
    """The position after ``moves``; to come back to one before it is a draw by repetition.

    Value in centipawns for the side to move, moves to mate (negative when mated) or None, last finished depth, main
    line, nodes. Moves as UCI: ``first`` to try before the others, ``only`` to examine, all if empty."""

def qsearch(fen: str) -> int:
    """The value in centipawns for the side to move after captures and checks are played out."""

def ending_kind(fen: str) -> tuple[str, int] | None:
    """The kind of an ending for the side that the network sees ahead, and the network's value for the side to move.

    The value is in centipawns, as if no kind were known. None for an ending of no kind, of more than eight men or of a
    known outcome."""

def ending_shares() -> list[tuple[str, int]]:
    """The kinds of endings, and how much of an advantage counts in each, in 64ths."""

def open_syzygy(folders: Sequence[Path]) -> int:
    """Opens the Syzygy tables in these folders (at least one) for the rest of the process; the most men of a table.

    The same folders may be named again. Raises `InputError` for a folder that cannot be read or has no tables, for a
    file that is no table, and if this process uses other folders.
    """

def known_outcome(fen: str) -> Literal["won", "drawn", "lost"] | None:
    """What becomes of a position for the side to move, by all tables that there are; None where none says anything.

    The tables of the program know nothing of the fifty-move rule. A win that it takes away is a draw by Syzygy tables.
    Raises `PositionError`."""

@final
class BaitTest:
    """The answers of the trap test for one move."""

    bait: str
    forced: bool
    verdict: str
    mate_in: int | None
    best: str | None
    line: list[str]
    loss: float
    depths: list[tuple[int, int, int]]
    """Depth in plies, and the values of the bait and of the best other move in centipawns for the victim."""
    rank: int
    gain: int
    tempts: bool
    nodes: int

def test_bait(
    fen: str,
    bait: str,
    killers: Sequence[str],
    depth: int,
    nodes: int,
    milliseconds: int | None,
    stop: Cancellation | None,
) -> BaitTest: ...
def test_baits(
    fen: str,
    baits: Sequence[str],
    depth: int,
    nodes: int,
    milliseconds: int | None,
    stop: Cancellation | None,
) -> list[BaitTest]:
    """Tests several baits of one position, each against the best of the other moves."""

def judge_depths(depths: Sequence[tuple[int, int, int]]) -> tuple[str, float]:
    """What values by depth (as in `BaitTest`) say: the verdict, and the win chance that the bait costs at the last."""

def first_sight(fen: str, bait: str) -> tuple[int, int]:
    """``rank`` and ``gain`` of a move as its `BaitTest` has them."""

def find_baits(fen: str, depth: int, nodes: int, milliseconds: int | None, stop: Cancellation | None) -> list[BaitTest]:
    """The test of every tempting move, the most tempting first."""

def losses(
    cases: Sequence[tuple[str, Sequence[str]]], nodes: int, stop: Cancellation | None
) -> list[list[tuple[float, str | None]]]:
    """For each position and each of the moves given with it: the win chance, -2 to 2, that the move costs against the
    best one, and the answer to it, as a search of ``nodes`` nodes of the position and of half as many of the answers
    sees it. Shorter than ``cases`` if it was stopped."""

def replay(games: Sequence[tuple[str | None, bytes, Sequence[int]]]) -> list[list[tuple[str, str]]]:
    """For each game (start or None for the usual one, moves as in `GameRecord`, ascending plies) the EPD at each of
    the plies with the move (UCI) that was played; nothing for a game that is shorter or cannot be replayed."""

def bait_profile(fen: str, bait: str, depth: int) -> list[tuple[int, int, int, int]]:
    """Depth, rank of the bait among all moves (from 1), its value and the best move's, for depths 0 (first sight) to
    ``depth``."""

def static_ranking(fen: str) -> list[tuple[str, int]]:
    """Each move (UCI) with what it seems worth at first sight, in centipawns for the side to move, best first."""

def sans(fen: str, line: Sequence[str]) -> list[str]:
    """A line (UCI) that begins in the position, in SAN. Raises `PositionError` for a move that is not legal."""

THEMES: tuple[str, ...]
"""Names of all themes that `line_themes` searches for, in its order."""

@final
class LineTheme:
    """A theme of a line, and what it rests on; equal to another with equal fields, and can be pickled."""

    def __new__(cls, name: str, ply: int, by: str | None, targets: Sequence[str]) -> Self: ...
    @property
    def name(self) -> str:
        """One of `THEMES`, as lichess writes it: ``fork``, ``backRankMate``."""

    @property
    def ply(self) -> int:
        """Index into the moves of the attacker's move that shows it (1, 3, 5 …); 1 for what is said of the line."""

    @property
    def by(self) -> str | None:
        """Square on which the acting piece stands after that move; None for what is said of the line."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Squares that it acts on at that time, such as those of the forked pieces; ``docs/research/themes.md``
        says what they are for each theme."""

    def __hash__(self) -> int: ...

def line_themes(fen: str, moves: Sequence[str], nodes: int = 0, stop: Cancellation | None = None) -> list[LineTheme]:
    """The themes of a line whose first move (UCI) is the bait, see `trapcore.proof.themes.line_themes`; ``nodes`` are
    those of each search for zugzwang, which is not searched for with 0."""

CAUSES: tuple[str, ...]
"""Names of all causes that `explain_mistakes` searches for, the one that explains most first."""

@final
class Cause:
    """A cause of a losing move. It can be pickled."""

    name: str
    """One of `CAUSES`."""
    squares: list[str]
    """That it rests on. ``docs/research/causes.md`` says what they are for each cause."""

@final
class Explanation:
    """Why a move loses, what the killer line does, and where. It can be pickled.

    If the cause is a missed chance, mechanism and place are those of the line that was not played, and begin with
    ``missed-``.
    """

    causes: list[Cause]
    """The first one is *the* cause; empty if none is shown."""
    mechanism: str
    """``fork:N:KR``: what happens, the piece that acts, those that it acts on; each may be empty but the first."""
    place: str
    """``fork:N@c2,Ke1``: what happens, the piece that acts and where, and the most valuable piece that it acts on.
    Squares are turned so that the player who made the mistake is White."""

_Mistake = tuple[str, str, Sequence[str], Sequence[str], float | None, float | None, int | None]

def explain_mistakes(mistakes: Sequence[_Mistake], stop: Cancellation | None = None) -> list[Explanation]:
    """Why losing moves lose, in their order: each is a FEN, the bait, the killer line, the line with the best other
    move (UCI; may be empty), win chances of the mover with the best move and with the bait, and moves to mate; see
    `trapcore.proof.causes.explain`."""

_Look = tuple[float, int | None, str | None]
"""What an engine sees of a position: win chance of the side to move, -1..1; moves to the mate that it sees, negative if
that side is mated; its move, UCI, None if the game is over."""

@final
class Batch:
    """Whole games of one input as their original bytes. It, its records and its findings can be pickled."""

    def __new__(
        cls,
        first_game: int,
        offset: int,
        data: bytes,
        starts: Sequence[int],
        oversized: Sequence[int],
        commented: Sequence[int],
        looks: Mapping[int, Sequence[_Look]] | None = None,
    ) -> Self:
        """As a splitter cuts it: ``starts`` are the offsets within ``data`` at which games begin, ``oversized`` the
        indexes of those that are longer than is read, ``commented`` of those that begin in an open comment. Raises
        ``ValueError`` for games outside ``data``."""

    first_game: int
    """Number of the first game, from 1 within the input."""
    offset: int
    """Byte offset of the first byte within the (decompressed) input."""
    games: int
    """Games that begin in this batch."""
    size: int
    """Length in bytes."""
    def data(self) -> bytes: ...
    def with_looks(self, looks: Mapping[int, Sequence[_Look]]) -> Batch:
        """The batch with what an engine saw at the positions of its games, by their numbers; before each move and after
        the last."""

    def splice(self, insertions: Sequence[tuple[int, bytes]]) -> bytes:
        """The bytes with each text put in at its offset within the batch, ascending; equal offsets keep order."""

@final
class PgnSplitter:
    """Cuts a stream of PGN bytes into batches at game boundaries; how the stream was chunked makes no difference."""

    def __new__(cls, batch_bytes: int = ..., max_game_bytes: int = ...) -> Self: ...
    def feed(self, data: bytes) -> list[Batch]: ...
    def finish(self) -> list[Batch]: ...

@final
class Skipped:
    """A game that passed through unread; ``reason`` is a stable kebab-case word, ``detail`` a sentence."""

    game: int
    offset: int
    reason: str
    detail: str

@final
class Note:
    """Something that was left out of a game which was read: words, or the moves from one that cannot be played."""

    game: int
    offset: int
    """Byte offset of the game within the input."""
    ply: int
    """Half-moves of the game before it."""
    number: int
    """Number of the move in whose place it stands."""
    reason: str
    """A stable kebab-case word."""
    detail: str
    """Text that follows ``Game 3, move 14:``, without a full stop."""

@final
class Anchor:
    """Where text can be added to one main-line move; offsets are relative to the batch."""

    nag_at: int
    """Right after the move and its suffix and NAGs."""
    comment_at: int
    """After the comments that follow the move."""
    variation_at: int
    """After the variations that follow the move (and comments after them)."""
    nags: list[int]
    """NAGs already there; suffixes such as ``?!`` count as their NAG."""
    comments: list[bytes]
    """Comments already there, without braces."""
    variations: list[bytes]
    """Top-level variations already there, without the outer parentheses."""
    number_next: bool
    """The next main-line token is a Black move without a move number of its own."""

@final
class Finding:
    """One event of one trap in one game."""

    ply: int
    """Ply of the move that the event is about, from 1 at the game's first move."""
    event: str
    """``set``, ``fell``, ``avoided``, ``sprung`` or ``missed``."""
    trap: int | None
    """Index into the traps given to the analyzer of the trap that it is or is like; None where it is like none."""
    known: bool
    """The position is the trap's own (similarity 1.0), proved by anybody; otherwise it resembles it."""
    mirrored: bool
    """The trap was matched with colours exchanged."""
    similarity: float
    """0.0 where it is like no trap of the library."""
    mover: str
    """``white`` or ``black``: the side that made the move."""
    number: int
    """Full-move number of the move."""
    played: str
    """SAN of the move."""
    bait: str
    bait_san: str
    killer_line: list[str]
    killer_line_san: list[str]
    verdict: str
    mate_in: int | None
    """Moves from the killer to mate, if a mate was proved."""
    loss: float | None
    """Win chance that the bait costs against the best other move (-2 to 2), if that was measured here."""
    nodes: int
    """Nodes of the proof made here; 0 when the proof is the library's."""
    prover: str
    """Who proved it: ``PROVER_VERSION``, ``TESTER_VERSION`` or ``library``; empty if unproved."""
    kind: str
    """What the killer is: ``mate``, ``capture`` (also promotions), ``check`` or ``quiet``."""
    before: float | None
    """Win chance of the victim (-1 to 1) with the best other move; None where it was not measured."""
    after: float | None
    """The same with the bait."""
    best: str | None
    """The best other move (UCI)."""
    best_san: str | None
    best_line_san: list[str]
    """The line that begins with it, at most five plies."""
    probability: float | None
    """Stated probability that the bait loses .3 of win chance or more by the judgement of a strong engine."""
    threat: bool
    """The killer would work as well if the victim passed: the bait only ignored a threat."""
    explanation: Explanation | None
    """Why the bait loses; None unless it was played (``fell``) and is proved to lose."""
    settled: bool
    """The win chances of the bait and of the move at ``ply`` may be reported: there are not too few pieces."""
    played_loss: float | None
    """Win chance (0 to 2) that the move at ``ply`` costs against the best there; None where it was not measured."""
    only_move: bool
    """Every other move at ``ply`` costs .3 or more against the one played."""
    fen: str
    """The trap position of this game, before the bait."""
    baited: str
    """EPD after the bait."""
    origin: str
    """EPD before the move at ``ply``."""
    reached: str
    """EPD after it."""
    trap_ply: int
    """Ply of the victim's decision: where the bait could be played (the same for all events of one trap position)."""
    anchor: Anchor
    """Of the move that the event is about."""

@final
class JudgedPosition:
    """A position of a game, or after a bait there, with the deepest judgement of it."""

    fen: str
    """EPD."""
    chance: float
    """Win chance of the side to move, -1 to 1."""
    nodes: int
    """Of the search; `PROOF` where it is decided by a proof or by the rules."""
    line: list[str]
    """UCI: the best move and what follows; may be empty."""

@final
class MoveValue:
    """What a move of a game leads to. Can be pickled."""

    ply: int
    """From 1."""
    half_move: int
    """Twice the full-move number of the move, plus one if it is Black's."""
    played: str
    """The move, UCI."""
    origin: str
    """The position before it (EPD), and"""
    fen: str
    """the one after it, which is among the judged ones of the game."""
    mate_in: int | None
    """Moves to the mate of that side, negative if it is mated; None if no mate is proved to its end."""
    anchor: Anchor

@final
class GameFindings:
    """One game with at least one finding, or with values that are wanted."""

    game: int
    offset: int
    """Byte offset within the input."""
    start: int
    """Offset within the batch."""
    size: int
    tags: dict[str, str]
    wrapped: bool
    """The movetext is broken into lines."""
    newline: str
    """Line end of the game: ``\\n`` or ``\\r\\n``."""
    encoding: str
    """``ascii``, ``utf-8`` or ``latin-1``."""
    commented: bool
    """Other programs read the game as part of a comment that was never closed: a brace put into it would close that."""
    findings: list[Finding]
    """Ascending by ply."""
    judged: list[JudgedPosition]
    """The positions that they are about, each once; with values, all positions of the game."""
    values: list[MoveValue]
    """Of the moves whose value is known, ascending; empty if none is wanted."""

@final
class BatchFindings:
    games: int
    positions: int
    skipped: list[Skipped]
    notes: list[Note]
    found: list[GameFindings]
    candidates: int
    """Positions that were known or similar, before proof."""
    suspected: int
    """Moves that may have lost by what the pass over their games saw."""
    proof_nodes: int
    """Nodes of all proofs, also of those that failed; a position that came before is not proved again."""

def killer_kind(fen: str, killer: str, mates: bool) -> str:
    """What a killer (UCI) in the position after the bait is, see `Finding.kind`; ``mates`` says that a mate is proved.

    Raises `PositionError`.
    """

@final
class SetTrap:
    """A move that sets a trap, and the best trap that stands after it. Can be pickled."""

    uci: str
    """The move that sets it."""
    trap: int
    """Index into the traps given to the analyzer."""
    known: bool
    """The position is the trap's own (similarity 1.0), proved by anybody; otherwise it resembles it."""
    mirrored: bool
    """The trap was matched with colours exchanged."""
    similarity: float
    bait: str
    bait_san: str
    killer_line: list[str]
    killer_line_san: list[str]
    verdict: str
    mate_in: int | None
    """Moves from the killer to mate, if a mate was proved."""
    loss: float | None
    """Win chance that the bait costs (0 to 2), if a gain of material was proved here."""
    nodes: int
    """Nodes of the proof made here; 0 when the proof is the library's."""
    prover: str
    """Who proved it: ``PROVER_VERSION``, ``TESTER_VERSION`` or ``library``; empty if unproved."""
    fen: str
    """The trap position: after the move, before the bait."""

@final
class GameAnalyzer:
    """Reads games and finds the events of known and similar traps in them."""

    def __new__(
        cls,
        traps: Sequence[tuple[str, str, Sequence[str], str, int]],
        *,
        measure: str,
        min_similarity: float,
        nodes: int,
        unproved: bool,
        tell: str = "similar",
        engine: bool = False,
        values: bool = False,
        proposals_first: bool = True,
        ranker: MoveRanker | None = None,
        index: TokenIndex | None = None,
        ids: Sequence[int] | None = None,
    ) -> Self:
        """``traps``: FEN before the bait, bait (UCI), killer line (UCI), verdict, mate distance in moves or 0.

        ``tell``: ``known`` (the positions of the traps), ``similar`` (also proved traps that are like them),
        ``losses`` (also every played move that is proved to lose, missed mates, and poisoned captures that were left
        alone; needs no trap) or ``all`` (also a second look at other moves that seem to cost something). With
        ``engine`` and one of the last two an engine decides, and batches come with its looks. ``nodes`` is for each
        question about one bait that a trap proposes. With ``values`` each game has what every move leads to. Without
        ``proposals_first`` the killers of the matched traps are not tried before other moves: for comparison only.
        The measure ``abstracted`` needs learned weights, the index of the traps' killers, and the payload of each
        trap in it.
        """

    def judge(self, batch: Batch, stop: Cancellation | None = None) -> BatchFindings:
        """Raises ``RuntimeError`` if ``stop`` was cancelled before the batch was done: what was found is not whole.

        Where an engine decides about losing moves, the batch must have its looks; otherwise ``ValueError`` is raised.
        """

    def judge_position(
        self,
        fen: str,
        moves: Sequence[str],
        *,
        nodes: int | None = None,
        unproved: bool | None = None,
        chess960: bool = False,
        milliseconds: int | None = None,
        stop: Cancellation | None = None,
    ) -> list[SetTrap]:
        """Those of ``moves`` (UCI, legal in the position, in their order) that set a trap, each with the best one: the
        trap of the event ``set`` that a game would have in which only this move is played.

        ``nodes`` and ``unproved`` stand in for those of the analyzer. ``chess960``: castling is king takes rook, also
        where the FEN does not show it. After ``milliseconds``, and when ``stop`` is cancelled, the moves that were not
        examined to the end are left out. Raises `PositionError`.
        """

LOSS_FEATURES: list[str]
"""Names of the features of `loss_evidence`."""
LOSS_STAGES: int
"""Stages of the judgement whether a move loses: the pass over the game, and those of the proof."""

def loss_evidence(
    batch: Batch, stop: Cancellation | None = None
) -> list[tuple[int, list[tuple[int, int, list[float], float]]]]:
    """Number of each readable game, and what is seen of its moves: ply from 1, stage from 0, the features
    (`LOSS_FEATURES`), and the probability that is stated after this stage. Every move is seen by the pass, which is
    stage 0, those that it suspects by the stages that decide about them. Shorter if it was stopped."""

@final
class GameRecord:
    """One readable game for the library."""

    game: int
    offset: int
    digest: bytes
    """16 bytes: BLAKE2b-128 of start position, moves, White, Black, Date and Round; equal for a game in any file."""
    tags: dict[str, str]
    result: str
    """``1-0``, ``0-1``, ``1/2-1/2`` or ``*``: by the tag, and where that names no result by the movetext."""
    start_fen: str | None
    """None for the usual start."""
    chess960: bool
    plies: int
    moves: bytes
    """Two bytes a ply, little endian: from + 64 * to + 4096 * promotion (0 none, 1 N, 2 B, 3 R, 4 Q); castling is king
    takes rook."""
    keys: list[bytes]
    """Position keys before each move and after the last: ``plies + 1`` of them."""

@final
class BatchRecords:
    records: list[GameRecord]
    skipped: list[Skipped]
    notes: list[Note]
    positions: list[tuple[bytes, bytes]]
    """Each position of the batch once: key and fingerprint."""

def read_records(batch: Batch) -> BatchRecords: ...

VOCABULARY_VERSION: int
"""Of the tokens of abstracted trees."""
FIELD_BITS: int
"""See `workshop.reference.tokens`."""
LAZY_SHORTLIST: int
"""See `trapcore.ranking.weights`."""

def seen_token_sets(examples: list[tuple[str, str, str | None]]) -> tuple[bytes, bytes, bytes, bytes]:
    """For each FEN before the bait, bait and killer: the tokens of each move after the bait, of the first step.

    Four arrays of 32-bit numbers in the machine's byte order: moves of each position, index of the killer among them
    (2**32-1 without one), tokens of each move, tokens.
    """

def killer_tokens(fen: str, bait: str | None, line: list[str]) -> list[int]:
    """The tokens by which a killer is compared with others, ascending; ``line`` is the killer and what follows it.

    Where the line ends in mate the mating net is among them. Empty without a line.
    """

TAKEN_KIND: int
"""Kind of the tokens that say what a mistake took from the mover; labels are of the kind after it."""

def difference_token_sets(mistakes: Sequence[tuple[str, str, Sequence[tuple[str, int]]]]) -> list[bytes]:
    """The packed token set of each mistake: of the position before it, the line that begins with it (UCI, with spaces
    between, two moves or more), and its labels, each with the tokens that it weighs (1 to 8). The definition is
    `workshop.reference.differences`. Raises `PositionError` for what cannot be played."""

def added_token(token: int) -> int | None:
    """The token that says of a killer's token that it was added; None where that is never said."""

def killer_token_sets(traps: Sequence[tuple[str, str, str]], *, jobs: int = 1) -> list[bytes]:
    """The same of many traps, by ``jobs`` threads: position before the bait, bait, and line with spaces between.

    Packed, as the functions of the index take them too: 32-bit numbers in the machine's byte order.
    """

def token_kinds() -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Name, stage (``seen``, ``answered`` or ``proved``) and fields (name, width in bits) of each kind of token.

    A token is the number of its kind above 27 bits that hold its fields, the last one lowest.
    """

@final
class MoveRanker:
    """Learned weights, ready to order moves; tables as in `trapcore.ranking.weights.Table`, tokens and weights."""

    def __new__(cls, seen: tuple[bytes, bytes], answered: tuple[bytes, bytes], nothing: float) -> Self: ...
    def propose(
        self, fen: str, bait: str | None, shortlist: int, top: int
    ) -> tuple[list[tuple[str, float, float, list[int]]], int]:
        """UCI, score, confidence and tokens of the ``top`` moves, and the moves made on a board to find them."""

    def pairs(self, fen: str, stop: Cancellation | None) -> list[tuple[list[str], list[str], int | None, bytes]]:
        """What in a position may be like a known trap, the most promising first, each with other tokens.

        A bait of the side to move with its killer and, if that is proved to mate, the whole line to the mate, as UCI
        and as SAN; moves to that mate, None without proof; and the packed tokens of the killer, as `killer_token_sets`
        gives them. Nothing if it was stopped."""

    def shortlist_token_sets(
        self, examples: list[tuple[str, str, str | None]], shortlist: int
    ) -> tuple[bytes, bytes, bytes, bytes]:
        """As `seen_token_sets`, but of the first ``shortlist`` moves and the killer, with the tokens of both steps."""

def exchanges(fen: str) -> list[tuple[str, int]]:
    """Each move (UCI) with the centipawns that it and the best captures on its square after it gain."""

WEIGHT_UNIT: float
"""What weights of tokens are multiples of: 2**-20."""
MAX_WEIGHT: float
"""Weights of tokens are below this: 4096."""

def build_token_index(
    path: str | os.PathLike[str],
    token_sets: Iterable[tuple[int, Iterable[int] | bytes]],
    *,
    weights: dict[int, float],
    default_weight: float,
    vocabulary: int,
) -> int:
    """Write an index of token sets to the folder ``path``, in place of one that is there; returns their number.

    ``token_sets``: payload (0..2**64-1, each once) and tokens (0..2**32-1, in any order, or packed; a token set is a
    set, of 4,096 at most). ``weights``: of tokens, 0 to below ``MAX_WEIGHT``, rounded to ``WEIGHT_UNIT``; all other
    tokens, those of later questions and changes too, weigh ``default_weight``. ``vocabulary`` is the version of what
    tokens mean.

    Until it returns, the old index stays in place. Raises `UsageError`, `OutputError`, and `LibraryError` if another
    process writes the same index.
    """

def change_token_index(
    path: str | os.PathLike[str],
    *,
    vocabulary: int,
    add: Iterable[tuple[int, Iterable[int] | bytes]] | None = None,
    remove: Iterable[int] | None = None,
) -> tuple[int, int]:
    """Remove payloads (unknown ones are ignored), then add token sets, in one step; returns how many were added and
    removed. A payload in both gets a new token set.

    Raises what `build_token_index` does, `IndexFileError` if there is no usable index of this vocabulary, and
    `UsageError` if a payload would be there twice.
    """

@final
class Payloads:
    """Some payloads of an index, to which a question can be restricted."""

    def __new__(cls, payloads: Iterable[int]) -> Self: ...
    def __len__(self) -> int:
        """Number of different ones."""

@final
class TokenIndex:
    """An index as it was when opened; changes by any process leave it as it is. Any thread may ask it.

    The similarity of two token sets is the weight of the tokens in both over the weight of those in either, or 1 if
    these weigh nothing. Answers are exact for any segments: pairs of payload and similarity, the most similar
    first and equally similar ones by payload. What has similarity 0 is left out.
    """

    def __new__(cls, path: str | os.PathLike[str], *, vocabulary: int) -> Self:
        """Checks every checksum. Raises `IndexFileError` if it is missing, foreign, damaged or of another version."""

    def __len__(self) -> int:
        """Number of payloads."""

    @property
    def segments(self) -> int: ...
    @property
    def size(self) -> int:
        """Of the segments, in bytes."""

    def files(self) -> list[tuple[Path, bytes]]:
        """Name and content of its files as they were when it was opened; in any folder they are the same index."""

    @property
    def is_current(self) -> bool:
        """No change was made since it was opened."""

    @property
    def is_in_place(self) -> bool:
        """Its files are those that were opened, unchanged and in their places."""

    def weight(self, token: int) -> float:
        """What the token weighs here."""

    def shared(self, own: Iterable[int] | bytes, fen: str, bait: str, line: Sequence[str], most: int) -> list[int]:
        """The weightiest tokens, ``most`` at most, that a token set shares with that of a known killer, see
        `killer_tokens`.
        """

    def top(
        self, token_sets: Iterable[Iterable[int] | bytes], k: int, *, only: Payloads | None = None, jobs: int = 1
    ) -> list[list[tuple[int, float]]]:
        """For each token set the ``k`` (1 or more) most similar, of ``only`` these if given, by ``jobs`` threads; the
        GIL is released meanwhile."""

    def above(
        self, token_sets: Iterable[Iterable[int]], threshold: float, *, jobs: int = 1
    ) -> list[list[tuple[int, float]]]:
        """For each token set all that are at least so similar (above 0, at most 1)."""

MOVE_FEATURES: list[str]
"""Names of the features of `move_features`, in their order."""
MIDDLE_RATING: float
"""Rating for which the features of the move model count by themselves."""
RATING_UNIT: float
"""Points beyond it that count as one,"""
MOST_RATING_UNITS: float
"""and how many of them count at most, either way."""

def move_probabilities(fen: str, last: str | None, rating: float, engine: bool = False) -> list[tuple[str, float]]:
    """Each move (UCI) with the probability that a person of this rating chooses it, or an ``engine`` of limited
    strength, the likeliest first; ``last`` is the square that the opponent's last move went to."""

def tempting_moves(fen: str) -> list[str]:
    """The moves (UCI) that tempt by their looks as the trap test has it, the most tempting first."""

def move_features(decisions: Sequence[tuple[str, str | None, str]]) -> list[tuple[int, int, bytes]]:
    """For each position, last square and move that was played: the number of legal moves, the place of the one that was
    played, and 32-bit floats in the machine's byte order, `MOVE_FEATURES` of each move."""

def move_values(
    cases: Sequence[tuple[str, Sequence[str]]], nodes: int, stop: Cancellation | None = None
) -> list[tuple[float, str | None, list[tuple[float, str | None]]]]:
    """For each position: the win chance of the side to move, -1 to 1, and its best move by a search of ``nodes`` nodes;
    then of each of the moves given with it the win chance (for the same side) and the answer, by a search of half as
    many that knows what those before it found. Shorter than ``cases`` if it was stopped."""
