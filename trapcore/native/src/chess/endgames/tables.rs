//! The tables of the program, and what they and those of the user say of a position.

use std::sync::{LazyLock, OnceLock};

use shakmaty::{Chess, EnPassantMode, Position};

use super::material::{MATERIALS, MEN, find};
use super::{Outcome, syzygy};

/// For each of [`MATERIALS`] the length of its table and the table, compressed with zstd: two bits for each placement.
/// `python -m workshop.experiments.endgames` makes it anew.
static PACKED: &[u8] = include_bytes!("tables.bin");

/// A table as it lies in [`PACKED`], and unpacked as soon as it is needed.
type PackedTable = (&'static [u8], OnceLock<Vec<u8>>);

static TABLES: LazyLock<Vec<PackedTable>> = LazyLock::new(|| {
    let mut rest = PACKED;
    let mut take = |len: usize| rest.split_off(..len).expect("the file holds every table");
    let mut next = |_| {
        let len = u32::from_le_bytes(take(4).try_into().expect("four bytes"));
        (take(len as usize), OnceLock::new())
    };
    (0..MATERIALS.len()).map(&mut next).collect()
});

/// Most men of a position that [`outcome`] may know.
pub(crate) fn most_men() -> usize {
    MEN.max(syzygy::most_men())
}

/// What becomes of a position: by the tables of the program, and by those of the user where these say nothing. `None`
/// where nobody knows.
pub(crate) fn outcome(chess: &Chess) -> Option<Outcome> {
    let men = chess.board().occupied().count();
    if men <= MEN {
        own(chess).or_else(|| syzygy::outcome(chess))
    } else if men <= syzygy::most_men() {
        syzygy::outcome(chess)
    } else {
        None
    }
}

/// What the tables of the program say. Castling and captures en passant are not in them.
fn own(chess: &Chess) -> Option<Outcome> {
    let (place, placement) = find(chess.board(), chess.turn())?;
    if chess.castles().any() || chess.ep_square(EnPassantMode::Legal).is_some() {
        return None;
    }
    let index = MATERIALS[place].index(&placement);
    Some(match table(place)[index / 4] >> (index % 4 * 2) & 3 {
        0 => Outcome::Lost,
        1 => Outcome::Drawn,
        _ => Outcome::Won,
    })
}

/// The outcomes of a table, two bits each. What is no legal position repeats the one before, which takes least room.
pub fn table(place: usize) -> &'static Vec<u8> {
    let (packed, table) = &TABLES[place];
    table.get_or_init(|| unpacked(packed, MATERIALS[place].size()))
}

fn unpacked(packed: &[u8], len: usize) -> Vec<u8> {
    let mut table = vec![0; len / 4];
    let read = ruzstd::decoding::FrameDecoder::new().decode_all(packed, &mut table);
    assert_eq!(read.expect("the tests read every table"), table.len());
    table
}
