"""Abstracted trees: the Rust core against the definition, symmetries, packing, and the words of the vocabulary."""

from collections import Counter
from functools import partial
from itertools import accumulate, islice, pairwise
from struct import unpack

import chess
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import ENDGAMES, FIGURE_2, board, played
from tests.support.public_data import PUZZLES, needs
from trapcore import _native
from trapcore.errors import InputError, PositionError
from trapcore.ranking.token_fields import KINDS, fields_of
from trapcore.ranking.token_words import describe
from workshop.benchmarks.material import puzzle_rows
from workshop.reference import replies
from workshop.reference.attacker_view import Orientation, attacker_view, see
from workshop.reference.mating_net import mating_net
from workshop.reference.tokens import STAGES, killer_tokens, seen_tokens, token, tokens_of
from workshop.reference.visible_features import Check, MoveFeatures, Novelty, Place, visible_features
from workshop.reference.words import VOCABULARY

EVERY = 999
"""More moves than any position has."""
IMPARTIAL = _native.MoveRanker((b"", b""), (b"", b""), 0.0)
Bags = dict[str, set[int]]


def core(fen: str, bait: str | None = None) -> Bags:
    """All tokens of every move by the core, in the order of the turned board."""
    moves, makes = IMPARTIAL.propose(fen, bait, EVERY, EVERY)
    assert makes >= len(moves)
    assert all(tokens == sorted(set(tokens)) for _, _, _, tokens in moves)
    return {uci: set(tokens) for uci, _, _, tokens in moves}


def differing(one: Bags, two: Bags) -> list[tuple[str, str, dict[str, int]]]:
    """The tokens that one side alone has, taken apart, so that a failure can be read."""
    return [(uci, *fields_of(token)) for uci in one.keys() | two.keys() for token in one[uci] ^ two[uci]]


def agree(fen: str, bait: str | None = None, only: set[str] | None = None) -> Bags:
    """The core's tokens, which the definition has too: those of every reply for the moves ``only``."""
    found = core(fen, bait)
    by_sight = {u: {t for t in tokens if STAGES[fields_of(t)[0]] == "seen"} for u, tokens in found.items()}
    assert differing(seen_tokens(fen, bait), by_sight) == []
    defined = tokens_of(fen, bait, only=only)
    assert differing(defined, {uci: found[uci] for uci in defined}) == []
    assert [uci for uci in found if uci in defined] == list(defined)
    return found


def flip_moves(uci: str, *, ranks: bool) -> str:
    """A move on the board turned over by ranks or by files."""
    over = str.maketrans("12345678", "87654321") if ranks else str.maketrans("abcdefgh", "hgfedcba")
    return uci[:4].translate(over) + uci[4:]


@given(fen=played(), choices=st.tuples(*[st.integers(0, 255)] * 4))
@settings(deadline=None, max_examples=150)
def test_the_core(fen: str, choices: tuple[int, ...]) -> None:
    before = board(fen)
    baits = [None, *(before.uci(move) for move in before.legal_moves)]
    bait = baits[choices[0] % len(baits)]
    ucis = list(core(fen, bait))
    agree(fen, bait, {ucis[choice % len(ucis)] for choice in choices[1:]} if ucis else None)


@pytest.mark.slow
@needs(PUZZLES)
def test_the_core_on_real_puzzles() -> None:
    met: Counter[str] = Counter()
    for row in islice(puzzle_rows(), 0, 12_000, 150):
        bait, *line = row["Moves"].split()
        found = agree(row["FEN"], bait, {line[0]})
        defined = killer_tokens(row["FEN"], bait, line)
        assert _native.killer_tokens(row["FEN"], bait, line) == sorted(defined)
        phrases = [describe(token) for token in defined.union(*found.values())]
        met.update(fields_of(token)[0] for token in defined.union(*found.values()))
        assert all(phrases)
        # Only the bait's squares are known to one who has the position after it.
        there = board(row["FEN"])
        there.push_uci(bait)
        agree(there.fen(), bait, {line[0]})
    assert set(met) == set(KINDS)


TOO_MANY_CHECKS = [
    ("1b6/4B3/3n1p2/5qN1/8/k1KR1Q2/8/r3Q3 w - - 0 1", "c3d4"),
    ("1r1Q3Q/kp2R3/8/qb6/5B2/n5N1/7K/8 w - - 0 1", "e7b7"),
    ("7q/3nN3/1rQb4/K7/5R2/1QB1k1p1/8/8 w - - 0 1", "f4e4"),
]
"""Positions and moves after which checks mate in three, which takes more looks than are allowed."""

ODD = {
    "a mate and a stalemate on the board": ("7k/5Q2/5K2/8/8/8/8/8 w - - 0 1", None),
    "nothing to play": ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None),
    "mated": ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", None),
    "the bait mates": ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7"),
    "promotions": ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", None),
    "a promotion as bait": ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "g2h1q"),
    "en passant": ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", None),
    "the bait runs into en passant": ("4k3/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1", "d7d5"),
    "en passant discovers": ("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", None),
    "castling": ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", None),
    "castling as bait": ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1"),
    "castling with check": ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", None),
    "Chess960, the king castles where it stands": ("1r4kr/8/8/8/8/8/8/1R4KR w HBhb - 0 1", None),
    "Chess960, the rook castles where it stands": ("r1k4q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQq - 0 1", "c1f1"),
    "Chess960, the king may castle or step there": ("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", None),
    "double check": ("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", None),
    "the victim is in check before the bait": ("4k3/4q3/8/8/7b/8/8/R3K2R w KQ - 0 1", "e1d1"),
    "kings in corners": ("k7/8/8/8/8/8/6Q1/7K b - - 0 1", "a8a7"),
    "a king in the other corner": ("7k/8/8/8/8/8/q7/K7 w - - 0 1", "a1a2"),
    "more knights than pawns can give": ("4k3/p7/8/8/NN6/NNNN4/NNNNN3/4K3 b - - 0 1", "a7a6"),
    "a pawn that runs": ("8/2k5/8/8/8/8/5KP1/8 w - - 0 1", None),
    "a pawn that is caught": ("8/4k3/8/8/8/8/5KP1/8 b - - 0 1", "e7f6"),
    "it matters which rook takes first": ("1b6/8/1K6/2Q5/Rnr2R2/8/5p2/1r1k3q w - - 0 1", None),
    "a mean that is cut off towards nothing": ("4B3/3K4/p3R3/8/8/2n2b2/2k5/8 w - - 0 1", None),
    "fifty moves are over": ("4k3/8/8/3q4/8/8/3R4/4K3 w - - 99 80", None),
}


@pytest.mark.parametrize(("fen", "bait"), ODD.values(), ids=list(ODD))
def test_the_core_on_odd_positions(fen: str, bait: str | None) -> None:
    ucis = list(core(fen, bait))
    agree(fen, bait, set(ucis[:: max(1, len(ucis) // 20)]))


@pytest.mark.parametrize(("fen", "uci"), TOO_MANY_CHECKS)
def test_a_mate_by_too_many_checks_is_overlooked_on_both_sides(
    fen: str, uci: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    overlooked = token("mate_by_checks", moves=7, check=int(by_uci(fen)[uci].check))
    assert overlooked in agree(fen, None, {uci})[uci]
    assert overlooked in core(chess.Board(fen).mirror().fen())[flip_moves(uci, ranks=True)]
    monkeypatch.setattr(replies, "MOST_LOOKED_AT", 4000)
    assert overlooked not in tokens_of(fen, only={uci})[uci]


@given(fen=played(), choice=st.integers(0, 255))
@settings(deadline=None, max_examples=60)
def test_colours_make_no_difference(fen: str, choice: int) -> None:
    before = board(fen)
    baits = [before.uci(move) for move in before.legal_moves]
    assume(baits)
    bait = baits[choice % len(baits)]
    turned = core(before.mirror().fen(en_passant="fen"), flip_moves(bait, ranks=True))
    again = {flip_moves(uci, ranks=True): tokens for uci, tokens in turned.items()}
    found = core(fen, bait)
    assert differing(found, again) == []
    assert list(found) == list(again)


@given(fen=played(), choice=st.integers(0, 255))
@settings(deadline=None, max_examples=60)
def test_wings_make_no_difference_once_castling_is_over(fen: str, choice: int) -> None:
    before = board(fen)
    before.castling_rights = chess.BB_EMPTY
    baits = [before.uci(move) for move in before.legal_moves]
    assume(baits)
    bait = baits[choice % len(baits)]
    mirrored = before.transform(chess.flip_horizontal).fen(en_passant="fen")
    again = {flip_moves(u, ranks=False): t for u, t in core(mirrored, flip_moves(bait, ranks=False)).items()}
    found = core(before.fen(), bait)
    assert differing(found, again) == []
    assert list(found) == list(again)


@given(fens=st.lists(played(ENDGAMES), min_size=1, max_size=3), choice=st.integers(0, 255))
@settings(deadline=None, max_examples=20)
def test_bags_by_sight_are_those_of_the_proposals(fens: list[str], choice: int) -> None:
    examples: list[tuple[str, str, str | None]] = []
    for fen in fens:
        baits = [board(fen).uci(move) for move in board(fen).legal_moves]
        if baits:
            examples.append((fen, baits[choice % len(baits)], None))
    assume(examples)
    moves, killers, sizes, packed = (unpack(f"={len(b) // 4}I", b) for b in _native.seen_token_sets(examples))
    assert killers == (2**32 - 1,) * len(examples)
    ends = list(accumulate(sizes))
    bags = [frozenset(packed[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
    expected = [Counter(map(frozenset, seen_tokens(fen, bait).values())) for fen, bait, _ in examples]
    starts = [0, *accumulate(moves)]
    assert [Counter(bags[a:b]) for a, b in pairwise(starts)] == expected


def by_uci(fen: str, bait: str | None = None) -> dict[str, MoveFeatures]:
    """What is seen of each move."""
    here = attacker_view(fen, bait)
    return {here.uci(one.move): one for one in visible_features(here)}


def test_what_is_seen() -> None:
    fen, bait, killer, _ = FIGURE_2["Légal"]
    seen = by_uci(fen, bait)[killer]
    assert (seen.piece, seen.captured, seen.check) == (chess.BISHOP, chess.PAWN, Check.DIRECT)
    # Down the board from the king and outwards; the knight on e5 stands behind it, the king may not take.
    assert seen.offset == (1, -1)
    assert (seen.attacker, seen.defended, seen.recapturer, seen.king_replies) == (chess.KING, True, 0, 1)
    # It could have been played before the bait; taking the bait's piece could not.
    assert (seen.novelty, seen.place) == (Novelty.OLD, Place.ELSEWHERE)
    takes = by_uci(fen, bait)["c3d1"]
    assert (takes.novelty, takes.place, takes.captured) == (Novelty.NEW, Place.BAIT, chess.BISHOP)
    castles = by_uci("5k2/8/8/8/8/8/8/4K2R w K - 0 1")["e1g1"]
    assert (castles.piece, castles.check) == (chess.KING, Check.DISCOVERED)


def test_a_pass_that_is_not_possible_tells_nothing() -> None:
    fen, bait = ODD["the victim is in check before the bait"]
    assert {seen.novelty for seen in by_uci(fen, bait).values()} == {Novelty.UNKNOWN}
    fen, bait = ODD["more knights than pawns can give"]
    assert Novelty.UNKNOWN not in {seen.novelty for seen in by_uci(fen, bait).values()}
    fen, bait = ODD["castling as bait"]
    assert by_uci(fen, bait)["e8g8"].novelty == Novelty.OLD
    fen, bait = ODD["the bait runs into en passant"]
    assert by_uci(fen, bait)["c5d6"].novelty == Novelty.NEW


def test_exchanges() -> None:
    for fen, uci, value in (
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
        ("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "e2e5", 100 - 500),
        # A king does not take what is guarded; a pawn taken en passant opens the file behind it.
        ("8/8/3k4/3p4/8/8/8/3RK2B w - - 0 1", "h1d5", 100),
        ("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
        # The rook on b1 comes first on the turned board; were it the one on c4, this would win a knight.
        ("1b6/8/1K6/2Q5/Rnr2R2/8/5p2/1r1k3q w - - 0 1", "a4b4", -130),
    ):
        there = chess.Board(fen)
        for one, move in ((there, uci), (there.transform(chess.flip_horizontal), flip_moves(uci, ranks=False))):
            assert see(one, one.parse_uci(move), Orientation.of(one, one.turn)) == value
            other, move = one.mirror(), flip_moves(move, ranks=True)
            assert see(other, other.parse_uci(move), Orientation.of(other, other.turn)) == value


def test_a_mating_net() -> None:
    smothered = chess.Board("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1")
    net = mating_net(smothered)
    assert net is not None
    assert net.checkers == {(chess.KNIGHT, (-2, -1))}
    assert net.edges == (True, True, False)
    assert net.mating_attackers == {chess.KNIGHT}
    assert {kept.offset: kept.own for kept in net.squares} == {
        (-1, 0): chess.ROOK,
        (-1, -1): chess.PAWN,
        (0, -1): chess.PAWN,
    }
    assert mating_net(chess.Board()) is None


def test_squares_alone_make_a_bait_only_where_it_can_have_been_played() -> None:
    after = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"
    agree(after, "g4d1", {"c4f7"})
    for bait in ("g4e2", "d8d1", "nonsense", "0000", "a1"):
        for answer in (partial(core, after), partial(tokens_of, after)):
            with pytest.raises(PositionError, match="not a legal move"):
                answer(bait)


KIND = st.sampled_from(sorted(KINDS))


@given(kind=KIND, data=st.data())
def test_packing(kind: str, data: st.DataObject) -> None:
    fields = {name: data.draw(st.integers(0, (1 << bits) - 1)) for name, bits in KINDS[kind]}
    packed = token(kind, **fields)
    assert 0 <= packed < 2**32
    assert fields_of(packed) == (kind, fields)
    name, bits = data.draw(st.sampled_from(KINDS[kind]))
    for wrong in ({**fields, name: 1 << bits}, {**fields, name: -1}, dict(list(fields.items())[1:])):
        with pytest.raises(ValueError, match=kind):
            token(kind, **wrong)


def test_what_is_no_token() -> None:
    for number in (len(KINDS) << 27, 2**32, -1, (list(KINDS).index("targets") << 27) + (1 << 26)):
        for read in (fields_of, describe):
            with pytest.raises(InputError, match="no token"):
                read(number)


def test_the_vocabulary_is_small_and_told_in_full() -> None:
    assert len(KINDS) <= 20
    assert list(VOCABULARY) == list(KINDS)
    assert all(sum(bits for _, bits in fields) <= 27 for fields in KINDS.values())
    assert set(STAGES.values()) == {"seen", "answered", "proved"}


@given(fen=played(), choice=st.integers(0, 255))
@settings(deadline=None, max_examples=30)
def test_every_token_can_be_told(fen: str, choice: int) -> None:
    before = board(fen)
    baits = [None, *(before.uci(move) for move in before.legal_moves)]
    for tokens in core(fen, baits[choice % len(baits)]).values():
        for one in tokens:
            phrase = describe(one)
            assert phrase == " ".join(phrase.split())
            assert phrase
            assert not phrase.endswith((",", ":"))


def test_phrases() -> None:
    fen, bait, killer, _ = FIGURE_2["Légal"]
    legal = {describe(token) for token in killer_tokens(fen, bait, [killer, "e8e7", "c3d5"])}
    assert {
        "bishop takes pawn with check, lands one file right and one rank below the king",
        "a king move is met by mate with a knight one file left and two ranks below the king, after every reply",
        "a move with check, then mate by checks alone in 1",
        "bishop and knight mate, the king in the open",
    } <= legal
    promotes = core("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1")["b7a8q"]
    assert "pawn becomes a queen, taking knight, lands three files right and one rank above the king" in {
        describe(token) for token in promotes
    }
