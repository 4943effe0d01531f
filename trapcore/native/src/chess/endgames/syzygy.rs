//! Syzygy tables that the user has on the disk: endings of more men than the tables of the program.
//!
//! They are opened once for the process. A win that the fifty-move rule takes away is a draw.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use shakmaty::Chess;
use shakmaty_syzygy::{Tablebase, Wdl};
use thiserror::Error;

use super::Outcome;

/// The first bytes of a file of wins, draws and losses.
const MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];

struct Opened {
    folders: Vec<PathBuf>,
    tables: Tablebase<Chess>,
}

static OPENED: OnceLock<Opened> = OnceLock::new();
/// Held while tables are opened.
static OPENING: Mutex<()> = Mutex::new(());

/// Why tables cannot be used.
#[derive(Debug, Error)]
pub(crate) enum SyzygyError {
    #[error("{}: {error}", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} holds no Syzygy tables, which are files named like KRPvKR.rtbw", .0.display())]
    None(PathBuf),
    #[error("{} is no Syzygy table; fetch it again", .0.display())]
    Damaged(PathBuf),
    #[error("this process uses the tables in {} already", .0.display())]
    Others(PathBuf),
}

/// Opens the tables in these folders for the rest of the process; the most men of a table. The same folders may be named
/// again.
pub(crate) fn open(folders: &[PathBuf]) -> Result<usize, SyzygyError> {
    let _guard = OPENING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(opened) = OPENED.get() {
        return if opened.folders == folders {
            Ok(opened.tables.max_pieces())
        } else {
            Err(SyzygyError::Others(opened.folders[0].clone()))
        };
    }
    let mut tables = Tablebase::new();
    for folder in folders {
        for path in files_of(folder)? {
            tables.add_file(&path).map_err(|_| SyzygyError::Damaged(path))?;
        }
    }
    let men = tables.max_pieces();
    if OPENED.set(Opened { folders: folders.to_vec(), tables }).is_err() {
        unreachable!("one thread opens at a time");
    }
    Ok(men)
}

/// The tables of a folder, which begin as tables do; at least one.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, SyzygyError> {
    let unreadable = |path: &Path, error| SyzygyError::Unreadable { path: path.to_owned(), error };
    let mut found = Vec::new();
    for entry in folder.read_dir().map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "rtbw") && path.is_file() {
            let mut start = [0; 4];
            let read = File::open(&path).and_then(|mut file| file.read_exact(&mut start));
            match read {
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(unreadable(&path, error)),
                Ok(()) if start == MAGIC => found.push(path),
                _ => return Err(SyzygyError::Damaged(path)),
            }
        }
    }
    if found.is_empty() { Err(SyzygyError::None(folder.to_owned())) } else { Ok(found) }
}

/// Most men of a table that was opened; 0 without tables.
pub(crate) fn most_men() -> usize {
    OPENED.get().map_or(0, |opened| opened.tables.max_pieces())
}

/// What the opened tables say of a position; `None` where they say nothing.
pub(crate) fn outcome(chess: &Chess) -> Option<Outcome> {
    let tables = &OPENED.get()?.tables;
    Some(match tables.probe_wdl_after_zeroing(chess).ok()? {
        Wdl::Win => Outcome::Won,
        Wdl::Loss => Outcome::Lost,
        Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Outcome::Drawn,
    })
}
