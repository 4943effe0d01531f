//! Themes of a line that punishes a move: exact predicates, named as lichess names the themes of its puzzles.
//!
//! A line begins with the bait. Each theme is one predicate on it, which returns what the theme rests on or nothing.
//!
//! | module | what it holds |
//! |---|---|
//! | `line` | the line, its moves, and what a theme rests on |
//! | `attacks` | loose, attacked, trapped and pinned pieces |
//! | `outcome` | mates by their length, length of the line |
//! | `phase` | phase of the game, kinds of endgame |
//! | `mates` | mates that have a name |
//! | `double_attacks` | forks, discovered attacks, discovered and double checks |
//! | `alignments` | pins, skewers, X-rays |
//! | `loose_pieces` | hanging and trapped pieces |
//! | `defenders` | deflection, attraction, interference, capturing and overloading of defenders |
//! | `tempo` | moves whose point is when they come: intermezzo, clearance, quiet and defensive moves |
//! | `kings` | attacks on the king |
//! | `zugzwang` | zugzwang, found by a search |
//! | `causes` | why a losing move loses, and what its killer line does |
//! | `differences` | what a mistake adds to the opponent's tree and takes from one's own, as tokens |
//! | `moves` | promotion, en passant, castling, advanced pawns, sacrifices |

mod alignments;
mod attacks;
pub(crate) mod causes;
mod defenders;
pub(crate) mod differences;
mod double_attacks;
mod kings;
pub(crate) mod line;
mod loose_pieces;
mod mates;
mod moves;
mod outcome;
mod phase;
mod tempo;
mod zugzwang;

use crate::themes::line::{Evidence, Line};
pub(crate) use crate::themes::zugzwang::Passing;

type Predicate = fn(&Line) -> Option<Evidence>;

/// Every theme that the moves alone show, by its name, in the order in which they are reported: what happens on the
/// board first.
pub(crate) const THEMES: &[(&str, Predicate)] = &[
    ("fork", double_attacks::fork),
    ("pin", alignments::pin),
    ("skewer", alignments::skewer),
    ("xRayAttack", alignments::x_ray_attack),
    ("discoveredAttack", double_attacks::discovered_attack),
    ("discoveredCheck", double_attacks::discovered_check),
    ("doubleCheck", double_attacks::double_check),
    ("hangingPiece", loose_pieces::hanging_piece),
    ("trappedPiece", loose_pieces::trapped_piece),
    ("deflection", defenders::deflection),
    ("attraction", defenders::attraction),
    ("capturingDefender", defenders::capturing_defender),
    ("interference", defenders::interference),
    ("overloading", defenders::overloading),
    ("intermezzo", tempo::intermezzo),
    ("clearance", tempo::clearance),
    ("quietMove", tempo::quiet_move),
    ("defensiveMove", tempo::defensive_move),
    ("sacrifice", moves::sacrifice),
    ("advancedPawn", moves::advanced_pawn),
    ("promotion", moves::promotion),
    ("underPromotion", moves::under_promotion),
    ("enPassant", moves::en_passant),
    ("castling", moves::castling),
    ("attackingF2F7", kings::attacking_f2_f7),
    ("exposedKing", kings::exposed_king),
    ("kingsideAttack", kings::kingside_attack),
    ("queensideAttack", kings::queenside_attack),
    ("backRankMate", mates::edge::back_rank),
    ("smotheredMate", mates::knight::smothered),
    ("hookMate", mates::knight::hook),
    ("arabianMate", mates::knight::arabian),
    ("anastasiaMate", mates::knight::anastasia),
    ("bodenMate", mates::bishop::boden),
    ("doubleBishopMate", mates::bishop::double_bishop),
    ("dovetailMate", mates::queen::dovetail),
    ("triangleMate", mates::queen::triangle),
    ("swallowstailMate", mates::queen::swallowstail),
    ("epauletteMate", mates::queen::epaulette),
    ("operaMate", mates::rook::opera),
    ("pillsburysMate", mates::rook::pillsburys),
    ("morphysMate", mates::rook::morphys),
    ("blindSwineMate", mates::rook::blind_swine),
    ("killBoxMate", mates::rook::kill_box),
    ("vukovicMate", mates::rook::vukovic),
    ("cornerMate", mates::knight::corner),
    ("balestraMate", mates::bishop::balestra),
    ("mate", outcome::mate),
    ("mateIn1", |line| outcome::mate_in(line, 1)),
    ("mateIn2", |line| outcome::mate_in(line, 2)),
    ("mateIn3", |line| outcome::mate_in(line, 3)),
    ("mateIn4", |line| outcome::mate_in(line, 4)),
    ("mateIn5", |line| outcome::mate_in(line, 5)),
    ("opening", phase::opening),
    ("middlegame", phase::middlegame),
    ("endgame", phase::endgame),
    ("pawnEndgame", phase::pawn_endgame),
    ("knightEndgame", phase::knight_endgame),
    ("bishopEndgame", phase::bishop_endgame),
    ("rookEndgame", phase::rook_endgame),
    ("queenEndgame", phase::queen_endgame),
    ("queenRookEndgame", phase::queen_rook_endgame),
    ("oneMove", |line| outcome::length(line, 1)),
    ("short", |line| outcome::length(line, 2)),
    ("long", |line| outcome::length(line, 3)),
    ("veryLong", |line| outcome::length(line, 4)),
];

/// The theme that is reported last, which needs a search.
pub(crate) const ZUGZWANG: &str = "zugzwang";

/// The themes of a line, in the order of [`THEMES`]; zugzwang only if there is a search for it.
pub(crate) fn line_themes(line: &Line, passing: Option<Passing<'_>>) -> Vec<(&'static str, Evidence)> {
    let mut found: Vec<_> = THEMES.iter().filter_map(|&(name, holds)| Some((name, holds(line)?))).collect();
    found.extend(passing.and_then(|mut passing| Some((ZUGZWANG, zugzwang::zugzwang(line, &mut passing)?))));
    found
}

#[cfg(test)]
mod tests;
