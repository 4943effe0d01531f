//! An engine that values the ends of short lines.
//!
//! For each question it searches the moves asked about to depth 1, all at once (MultiPV), which plays captures out. The
//! value of a line is then the engine's static value of the quiet position at its end, and that position is what is
//! recorded: one search gives as many records as there are moves, in a twentieth of the time of as many searches.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::thread;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use native::workshop::fen;

use crate::record::{Record, SIZE};
use crate::sample::Question;

/// Megabytes of the engine's table.
const HASH: u32 = 16;
/// Values beyond these centipawns are left out: the game is over there, and the scale of win chances is flat.
const MOST: i32 = 6000;

/// The records of all questions, in their order. The engine is started, asked everything at once, and ended.
///
/// Errors: the engine cannot be started, or ends before it has answered.
pub(crate) fn label(command: &str, questions: &[Question]) -> io::Result<Vec<u8>> {
    let mut engine = Command::new(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let missing = || io::Error::other("the engine cannot be talked to");
    let input = engine.stdin.take().ok_or_else(missing)?;
    let output = engine.stdout.take().ok_or_else(missing)?;
    let mut records = Vec::with_capacity(questions.len() * 8 * SIZE);
    let answered = thread::scope(|scope| {
        // The input is handed back and not closed: an engine that loses it ends before it has answered.
        let writer = scope.spawn(|| ask(input, questions));
        let read = read_answers(BufReader::new(output), questions, &mut records);
        if read.is_err() {
            engine.kill()?;
        }
        let written = writer.join().map_err(|_| io::Error::other("the questions could not be written"))?;
        read.and(written.map(drop))
    });
    let ended = engine.wait();
    answered.and(ended).map(|_| records)
}

fn ask(input: ChildStdin, questions: &[Question]) -> io::Result<BufWriter<ChildStdin>> {
    let mut input = BufWriter::new(input);
    writeln!(input, "uci\nsetoption name Hash value {HASH}\nsetoption name MultiPV value 500")?;
    for Question { position, moves } in questions {
        let moves: Vec<String> = moves.iter().map(|m| m.to_uci(CastlingMode::Standard).to_string()).collect();
        writeln!(input, "position fen {}\ngo depth 1 searchmoves {}", fen(position), moves.join(" "))?;
    }
    input.flush()?;
    Ok(input)
}

/// Reads answers until all questions have one.
fn read_answers(output: impl BufRead, questions: &[Question], records: &mut Vec<u8>) -> io::Result<()> {
    let mut left = questions.iter();
    let mut question = left.next();
    for line in output.lines() {
        let line = line?;
        let Some(open) = question else { break };
        if line.starts_with("bestmove") {
            question = left.next();
        } else if let Some(record) = record(&open.position, &line) {
            records.extend_from_slice(&record);
        }
        if question.is_none() {
            break;
        }
    }
    match question {
        None => Ok(()),
        Some(_) => Err(io::Error::other("the engine ended before it had answered")),
    }
}

/// The end of a line and its value; `None` for what is no exact value of a line, for mates, and where the line ends in
/// check or with the game.
fn record(start: &Chess, line: &str) -> Option<[u8; SIZE]> {
    let (head, moves) = line.split_once(" pv ")?;
    let (_, score) = head.split_once(" score cp ")?;
    if score.contains("bound") {
        return None;
    }
    let value: i32 = score.split(' ').next()?.parse().ok()?;
    let mut position = start.clone();
    let mut sign = 1;
    for uci in moves.split_ascii_whitespace() {
        let m = uci.parse::<UciMove>().ok()?.to_move(&position).ok()?;
        position.play_unchecked(m);
        sign = -sign;
    }
    if value.abs() > MOST || position.is_check() || position.legal_moves().is_empty() {
        return None;
    }
    let value = (sign * value) as i16;
    Record { board: position.board().clone(), turn: position.turn(), value }.pack()
}

#[cfg(test)]
mod tests {
    use native::workshop::parse;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_line_becomes_its_end_with_the_value_of_the_side_to_move_there() {
        let start = parse(START).unwrap().chess;
        let line = "info depth 1 seldepth 2 multipv 1 score cp 34 nodes 42 nps 42000 time 1 pv e2e4 d7d5";
        let read = Record::unpack(&record(&start, line).unwrap()).unwrap();
        let end = parse("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2").unwrap().chess;
        assert_eq!((read.board, read.turn, read.value), (end.board().clone(), end.turn(), 34));
        let line = "info depth 1 multipv 1 score cp 34 nodes 42 pv e2e4";
        assert_eq!(Record::unpack(&record(&start, line).unwrap()).unwrap().value, -34);
    }

    #[test]
    fn bounds_mates_checks_and_other_lines_are_none() {
        let start = parse(START).unwrap().chess;
        for line in [
            "info depth 1 score cp 34 lowerbound nodes 42 pv e2e4",
            "info depth 1 score mate 3 nodes 42 pv e2e4",
            "info depth 1 score cp 34 nodes 42 pv e2e5",
            "info depth 1 score cp 9000 nodes 42 pv e2e4",
            "info depth 1 score cp 34 nodes 42 pv e2e4 d7d5 f1b5",
            "info string NNUE evaluation enabled",
        ] {
            assert_eq!(record(&start, line), None, "{line}");
        }
    }

    #[test]
    fn an_engine_that_ends_or_is_missing_is_an_error() {
        let question = || Question { position: Chess::default(), moves: Chess::default().legal_moves().to_vec() };
        assert!(label("true", &[question()]).is_err());
        assert!(label("/nowhere/engine", &[question()]).is_err());
    }
}
