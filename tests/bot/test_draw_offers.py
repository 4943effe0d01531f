"""Draw offers of a person: the bot judges the position in which it answers, not the one before the last move."""

import chess
import pytest

from bot.settings import Variant
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.fake_lichess.site import Site
from tests.support.playing_bot import challenged, no_violations, playing
from tests.support.polling import until
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search
from trapline.settings import Settings

STILL = Habits(think=(1e9, 1e9), accept_draw=None, accept_takeback=None)
ROOK_AGAINST_QUEEN = "6k1/5pp1/7p/8/q7/7P/5PP1/3R2K1 w - - 0 60"


def worth(board: chess.Board, move: chess.Move) -> int:
    """Centipawns for the other side after a move."""
    after = board.copy()
    after.push(move)
    return search(after.fen(), Budget(nodes=5_000)).value


@pytest.mark.parametrize(("is_error", "status"), [(True, "started"), (False, "draw")])
def test_a_draw_offered_after_a_move_is_judged_after_that_move(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch, is_error: bool, status: str
) -> None:
    monkeypatch.setattr("bot.moves.draws_and_resigning.AGREE_PLY", 0)
    changes = {"variants": (Variant.FROM_POSITION,), "move_seconds": 0.2}
    played = settings.model_copy(update={"bot": settings.bot.model_copy(update=changes)})

    with playing(played, ()):
        game = challenged(server, STILL, variant="fromPosition", fen=ROOK_AGAINST_QUEEN)

        def board_at(ply: int) -> chess.Board:
            until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= ply))
            return server.do(lambda site: site.games[game].board.copy())

        def play_and_offer(site: Site, move: chess.Move) -> None:
            site.play(site.games[game], chess.BLACK, move)
            site.games[game].answer_draw(chess.BLACK, True)

        board_at(1)
        server.do(lambda site: site.play(site.games[game], chess.BLACK, chess.Move.from_uci("h6h5")))
        board = board_at(3)
        by_worth = sorted(board.legal_moves, key=lambda move: worth(board, move))
        assert worth(board, by_worth[-1]) > 200
        assert worth(board, by_worth[0]) < -200
        server.do(lambda site: play_and_offer(site, by_worth[-1 if is_error else 0]))
        until(lambda: server.do(lambda site: site.games[game].over or site.games[game].ply == 5))
        assert server.do(lambda site: site.games[game].status) == status
    no_violations(server)
