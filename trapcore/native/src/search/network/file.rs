//! The weights as a file: "TLNN", version, width, buckets; weights and bias of the features, then weights and biases of
//! each head; CRC-32 of all before it. Everything little-endian.

use thiserror::Error;

use super::features::INPUTS;
use super::inference::{WIDEST, WIDEST_BIAS};
use super::{BUCKETS, FIRST, HIDDEN, Network, SECOND};

const MAGIC: &[u8; 4] = b"TLNN";
const VERSION: u32 = 4;
/// Bytes of a head.
const HEAD: usize = 2 * (2 * HIDDEN * (FIRST + 1) + SECOND * (2 * FIRST + 1)) + 4 * (FIRST + SECOND + 1);
/// Bytes of a file.
const LENGTH: usize = 16 + 2 * HIDDEN * (INPUTS + 1) + BUCKETS * HEAD + 4;

/// Why bytes are no network.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FileError {
    #[error("a network has {LENGTH} bytes, not {0}")]
    Length(usize),
    #[error("the checksum of the network is wrong")]
    Checksum,
    #[error("no network of version {VERSION}, width {HIDDEN} and {BUCKETS} buckets")]
    Header,
    #[error("a weight of {0} is outside ±{WIDEST}")]
    Weight(i16),
    #[error("a bias of {0} is outside ±{WIDEST_BIAS}")]
    Bias(i32),
}

impl Network {
    /// The network in these bytes.
    pub fn read(bytes: &[u8]) -> Result<Network, FileError> {
        if bytes.len() != LENGTH {
            return Err(FileError::Length(bytes.len()));
        }
        let (content, checksum) = bytes.split_at(LENGTH - 4);
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err(FileError::Checksum);
        }
        let (header, mut rest) = content.split_at(16);
        if header != self::header() {
            return Err(FileError::Header);
        }
        let mut network = Network::zero();
        for row in network.features.iter_mut().chain([&mut network.bias]) {
            for value in &mut row.0 {
                *value = i16::from_le_bytes(take(&mut rest));
            }
        }
        for head in &mut network.heads {
            for weight in head.weights_mut() {
                *weight = i16::from_le_bytes(take(&mut rest));
                if weight.unsigned_abs() > WIDEST.unsigned_abs() {
                    return Err(FileError::Weight(*weight));
                }
            }
            for bias in head.biases_mut() {
                *bias = i32::from_le_bytes(take(&mut rest));
                if bias.unsigned_abs() > WIDEST_BIAS.unsigned_abs() {
                    return Err(FileError::Bias(*bias));
                }
            }
        }
        Ok(network)
    }

    /// The bytes of this network.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend(header());
        for row in self.features.iter().chain([&self.bias]) {
            bytes.extend(row.0.iter().flat_map(|value| value.to_le_bytes()));
        }
        for head in &self.heads {
            bytes.extend(head.weights().flat_map(|weight| weight.to_le_bytes()));
            bytes.extend(head.biases().flat_map(|bias| bias.to_le_bytes()));
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }
}

fn header() -> [u8; 16] {
    let mut header = [0; 16];
    header[..4].copy_from_slice(MAGIC);
    for (slot, value) in header[4..].chunks_exact_mut(4).zip([VERSION, HIDDEN as u32, BUCKETS as u32]) {
        slot.copy_from_slice(&value.to_le_bytes());
    }
    header
}

/// The next bytes, which are there: the length was compared.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, left) = rest.split_first_chunk().expect("the length was compared");
    *rest = left;
    *taken
}
