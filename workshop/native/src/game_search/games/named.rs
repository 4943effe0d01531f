//! Games by their names, as `workshop.games.rules.game_named` has them.

/// The size in a name like `go-5x5`.
pub(crate) fn size(name: &str, game: &str, sizes: std::ops::RangeInclusive<u32>) -> Option<u32> {
    let (width, height) = name.strip_prefix(game)?.strip_prefix('-')?.split_once('x')?;
    let size = width.parse().ok()?;
    (width == height && sizes.contains(&size)).then_some(size)
}

/// Reads a position of the game that is named, and does something with it; none if there is no such game or position.
macro_rules! with_position {
    ($name:expr, $text:expr, $position:ident => $body:expr) => {
        match $name {
            "chess" => $crate::game_search::games::chess::Chess::parse($text).map(|$position| $body),
            "tic-tac-toe" => $crate::game_search::games::tic_tac_toe::TicTacToe::parse($text).map(|$position| $body),
            "connect-four" => {
                $crate::game_search::games::connect_four::ConnectFour::parse($text).map(|$position| $body)
            }
            "breakthrough" => {
                $crate::game_search::games::breakthrough::Breakthrough::parse($text, 8).map(|$position| $body)
            }
            name => {
                if let Some(size) = $crate::game_search::games::named::size(name, "breakthrough", 5..=8) {
                    $crate::game_search::games::breakthrough::Breakthrough::parse($text, size).map(|$position| $body)
                } else {
                    let size = $crate::game_search::games::named::size(name, "go", 2..=7)?;
                    $crate::game_search::games::go::Go::parse($text, size).map(|$position| $body)
                }
            }
        }
    };
}

/// The same of games with goals on squares; none if the game has none.
macro_rules! with_local {
    ($name:expr, $text:expr, $position:ident => $body:expr) => {
        match $name {
            "tic-tac-toe" => $crate::game_search::games::tic_tac_toe::TicTacToe::parse($text).map(|$position| $body),
            "connect-four" => {
                $crate::game_search::games::connect_four::ConnectFour::parse($text).map(|$position| $body)
            }
            name => {
                let size = if name == "breakthrough" {
                    8
                } else {
                    $crate::game_search::games::named::size(name, "breakthrough", 5..=8)?
                };
                $crate::game_search::games::breakthrough::Breakthrough::parse($text, size).map(|$position| $body)
            }
        }
    };
}

pub(crate) use {with_local, with_position};
