//! The file format of the index: a header, and sections of little-endian numbers with a checksum each.
//!
//! ```text
//! 0    magic                 8 bytes
//! 8    format                u32
//! 12   kind                  u32   1 manifest, 2 segment
//! 16   number of sections    u32
//! 20   CRC-32 of the header  u32   taken with this field zero
//! 24   for each section: offset u64, length in bytes u64, CRC-32 u32, zero u32
//! ```
//!
//! Sections begin at multiples of 8, in order, and the last ends the file.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crc32fast::Hasher;

use super::model::TokenIndexError;

/// Changes with every change of what any byte means.
pub(super) const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"\x93TLBAGS\n";
const FIXED: usize = 24;
const ENTRY: usize = 24;
const HEADER_CHECK: Range<usize> = 20..24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Manifest = 1,
    Segment = 2,
}

impl Kind {
    fn sections(self) -> usize {
        match self {
            Kind::Manifest => 5,
            Kind::Segment => 10,
        }
    }
}

/// Writes one file under a temporary name.
pub(super) struct FileWriter {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    kind: Kind,
    /// Offset, length, checksum.
    done: Vec<(u64, u64, u32)>,
    at: u64,
    start: u64,
    check: Hasher,
}

impl FileWriter {
    pub(super) fn create(path: &Path, kind: Kind) -> Result<FileWriter, TokenIndexError> {
        let part = path.with_extension("part");
        let header = FIXED + kind.sections() * ENTRY;
        let open = || {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&part)?);
            out.write_all(&vec![0; header])?;
            Ok(out)
        };
        let out = open().map_err(TokenIndexError::unwritable(path))?;
        let at = header as u64;
        let (path, done, check) = (path.to_owned(), Vec::new(), Hasher::new());
        Ok(FileWriter { path, part, out, kind, done, at, start: at, check })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), TokenIndexError> {
        self.check.update(bytes);
        self.at += bytes.len() as u64;
        self.out.write_all(bytes).map_err(TokenIndexError::unwritable(&self.path))
    }

    /// Length in bytes of the section so far.
    pub(super) fn written(&self) -> u64 {
        self.at - self.start
    }

    pub(super) fn end_section(&mut self) -> Result<(), TokenIndexError> {
        let check = std::mem::take(&mut self.check).finalize();
        self.done.push((self.start, self.at - self.start, check));
        if self.done.len() < self.kind.sections() {
            let padding = self.at.next_multiple_of(8) - self.at;
            self.out.write_all(&[0; 8][..padding as usize]).map_err(TokenIndexError::unwritable(&self.path))?;
            self.at += padding;
        }
        self.start = self.at;
        Ok(())
    }

    /// A whole section.
    pub(super) fn section(&mut self, bytes: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<(), TokenIndexError> {
        bytes.into_iter().try_for_each(|piece| self.write(piece.as_ref()))?;
        self.end_section()
    }

    /// Puts the file in place, on disk; returns the checksum of its header, which vouches for all of it.
    pub(super) fn finish(mut self) -> Result<u32, TokenIndexError> {
        debug_assert_eq!(self.done.len(), self.kind.sections());
        let mut header = Vec::new();
        header.extend(MAGIC);
        for number in [FORMAT, self.kind as u32, self.done.len() as u32, 0] {
            header.extend(number.to_le_bytes());
        }
        for (offset, length, check) in &self.done {
            header.extend(offset.to_le_bytes());
            header.extend(length.to_le_bytes());
            header.extend(check.to_le_bytes());
            header.extend([0; 4]);
        }
        let check = crc32fast::hash(&header);
        header[HEADER_CHECK].copy_from_slice(&check.to_le_bytes());
        let mut place = || {
            self.out.seek(SeekFrom::Start(0))?;
            self.out.write_all(&header)?;
            self.out.flush()?;
            self.out.get_ref().sync_all()?;
            fs::rename(&self.part, &self.path)?;
            sync_folder(&self.path)
        };
        place().map_err(TokenIndexError::unwritable(&self.path))?;
        Ok(check)
    }
}

/// Makes a rename last; only Unix can open a folder.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// A file whose header and checksums are right.
pub(super) struct Checked<T> {
    data: T,
    sections: Vec<Range<usize>>,
    /// Checksum of the header.
    pub check: u32,
}

impl<T: AsRef<[u8]>> Checked<T> {
    /// The error says what is wrong, as the end of a sentence that began with the file's name.
    pub(super) fn new(data: T, kind: Kind) -> Result<Checked<T>, String> {
        let bytes = data.as_ref();
        if !bytes.starts_with(&MAGIC) || bytes.len() < FIXED {
            return Err("this is no index of trapline, or it was cut short".to_owned());
        }
        let fixed = |at: usize| u32_at(bytes, at / 4);
        let format = fixed(8);
        if format != FORMAT {
            return Err(format!("it is written in format {format}, and this version reads format {FORMAT}"));
        }
        let count = kind.sections();
        if fixed(12) != kind as u32 || fixed(16) as usize != count {
            return Err(format!("it is not the {} that it should be", format!("{kind:?}").to_lowercase()));
        }
        let damaged = |what: &str| Err(format!("it is damaged ({what})"));
        let Some(header) = bytes.get(..FIXED + count * ENTRY) else {
            return damaged("cut short in its header");
        };
        let mut zeroed = header.to_vec();
        zeroed[HEADER_CHECK].fill(0);
        let check = fixed(HEADER_CHECK.start);
        if crc32fast::hash(&zeroed) != check {
            return damaged("its header does not match its checksum");
        }
        let mut sections = Vec::with_capacity(count);
        let mut end = header.len() as u64;
        for entry in header[FIXED..].chunks_exact(ENTRY) {
            let (offset, length) = (u64_at(entry, 0), u64_at(entry, 1));
            if offset != end.next_multiple_of(8) || length > bytes.len() as u64 {
                return damaged("its sections are not where they should be, or it was cut short");
            }
            end = offset + length;
            let Some(section) = bytes.get(offset as usize..end as usize) else {
                return damaged("it was cut short");
            };
            if crc32fast::hash(section) != u32_at(entry, 4) {
                return damaged("a section does not match its checksum");
            }
            sections.push(offset as usize..end as usize);
        }
        if end != bytes.len() as u64 {
            return damaged("something follows its last section");
        }
        Ok(Checked { data, sections, check })
    }

    pub(super) fn section(&self, number: usize) -> &[u8] {
        &self.data.as_ref()[self.sections[number].clone()]
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Of the whole file, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.data.as_ref().len() as u64
    }
}

/// Which file a path leads to, and what it is like: another one, or a changed one, has another identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Device and number of the file where the system has them.
    file: (u64, u64),
    size: u64,
    changed: Option<SystemTime>,
}

impl Identity {
    fn of(found: &Metadata) -> Identity {
        #[cfg(unix)]
        let file = (std::os::unix::fs::MetadataExt::dev(found), std::os::unix::fs::MetadataExt::ino(found));
        #[cfg(not(unix))]
        let file = (0, 0);
        Identity { file, size: found.len(), changed: found.modified().ok() }
    }

    /// Whether the path still leads to this very file.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|found| Identity::of(&found) == *self)
    }
}

/// Reads a file whole: if another process cuts a mapped file short, this one ends in the middle of a query.
pub(super) fn read(path: &Path, kind: Kind) -> Result<(Checked<Vec<u8>>, Identity), TokenIndexError> {
    let take = || -> io::Result<(Vec<u8>, Identity)> {
        // Opening a pipe would wait for a writer, and a device has no end.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let file = File::open(path)?;
        let found = file.metadata()?;
        let mut data = Vec::new();
        (&file).take(header_length(kind)).read_to_end(&mut data)?;
        // What is as long as no index says of itself is refused by its header, before it fills the memory.
        let left = found.len().saturating_sub(data.len() as u64);
        if promised_length(&data, kind) == Some(found.len()) {
            data.try_reserve_exact(left as usize).map_err(io::Error::other)?;
            (&file).take(left).read_to_end(&mut data)?;
        }
        Ok((data, Identity::of(&found)))
    };
    let (data, identity) = take().map_err(|error: io::Error| TokenIndexError::unusable(path, describe(&error)))?;
    let checked = Checked::new(data, kind).map_err(|what| TokenIndexError::unusable(path, what))?;
    Ok((checked, identity))
}

fn header_length(kind: Kind) -> u64 {
    (FIXED + kind.sections() * ENTRY) as u64
}

/// Where the last section ends, as the header says; None for one that is cut short.
fn promised_length(header: &[u8], kind: Kind) -> Option<u64> {
    let last = header.get((header_length(kind) as usize).checked_sub(ENTRY)?..)?;
    (last.len() == ENTRY).then(|| u64_at(last, 0).saturating_add(u64_at(last, 1)))
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}

/// The number in this place of a section of 32-bit numbers.
#[inline]
pub(super) fn u32_at(section: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(section[place * 4..][..4].try_into().expect("four bytes"))
}

/// The number in this place of a section of 64-bit numbers.
#[inline]
pub(super) fn u64_at(section: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(section[place * 8..][..8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_stays_when_its_file_is_cut_short_and_an_identity_knows_that_it_was_replaced() {
        let folder = std::env::temp_dir().join(format!("trapline-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("segment-1"), folder.join("other"));
        let write = |path: &Path| {
            let mut out = FileWriter::create(path, Kind::Manifest).unwrap();
            (0..5).for_each(|_| out.section([[7; 3000]]).unwrap());
            out.finish().unwrap();
        };
        write(&path);
        let (taken, identity) = read(&path, Kind::Manifest).unwrap();
        assert!(identity.is_at(&path));
        fs::write(&other, b"other").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(!identity.is_at(&path));
        write(&path);
        let (again, identity) = read(&path, Kind::Manifest).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(5000).unwrap();
        assert!(!identity.is_at(&path) && taken.section(4) == [7; 3000] && again.section(4) == [7; 3000]);
        assert!(read(&path, Kind::Manifest).is_err());
        // A hole of a terabyte is refused by the header, and not read.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read(&path, Kind::Manifest).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
