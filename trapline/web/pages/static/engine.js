// Stockfish beside the board: it runs in a worker of this browser, judges the position that is seen, and answers moves
// that are played on the board. Board.js loads this file when somebody asks for it. The rules are those of chessops.

const LINES = 3; // best lines
const PLIES = 8; // of each that are shown
const LIMITS = "depth 24 movetime 20000"; // then it rests
const LEAST_DEPTH = 5; // values before it jump about
const SCALE = 0.00368208; // of win chances, as in trapcore/win_chance.py

let board = null; // what board.js does for us
let rules = null; // functions of chessops
let panel = null; // the switch, kept over all parts of the page
let results = null; // what it shows: under the switch, or beside the board where there is room
let texts = {};
let worker = null; // null while it is off
let starting = false;
let ready = false;
let here = null; // {pos, fen, lines, depth}: what is judged
let busy = null; // what the worker searches
let mine = null; // {before, uci, san, fen}: the last move played on the board, and the position after it
let free = []; // moves that the page does not know: {uci, pos}, the position after it
let drawing = false;

const WIDE = matchMedia("(min-width: 52.01rem)"); // as in page.css
const at = (name) => results.querySelector(`[data-${name}]`);

export function start(hooks) {
  board = hooks;
  document.addEventListener("click", pressed);
  document.addEventListener("keydown", stepped, { capture: true });
  return { adopt, toggle, played, follows };
}

// A part of the page took the place of another; it has a panel of its own, or none.
function adopt(fresh) {
  if (!fresh) {
    look(null);
    return;
  }
  panel ??= fresh;
  texts = JSON.parse(fresh.dataset.texts);
  panel.dataset.fen = fresh.dataset.fen;
  results ??= fresh.querySelector("[data-on]");
  if (fresh !== panel) fresh.replaceWith(panel);
  const beside = WIDE.matches && panel.closest(".stage")?.nextElementSibling;
  if (beside) beside.prepend(results);
  else panel.append(results);
  if (free.length) reset();
  else look(position());
}

async function toggle() {
  if (starting) return;
  starting = true;
  if (worker) turnOff();
  else await turnOn();
  starting = false;
  panel.querySelector("#engine-switch").setAttribute("aria-pressed", String(Boolean(worker)));
  results.hidden = !worker && !at("state").textContent;
  try {
    sessionStorage.setItem("engine", worker ? "on" : "");
  } catch {
    // The browser stores nothing: it is asked for again on the next page.
  }
}

async function turnOn() {
  at("state").textContent = texts.loading;
  results.hidden = false;
  const { stockfish, chessops } = panel.dataset;
  try {
    const names = ["chess", "fen", "san", "util", "compat"];
    const modules = names.map((name) => import(`${chessops}/${name}.js`));
    // The worker would not tell that it cannot load this file; it finds it in the cache.
    const [code, ...parts] = await Promise.all([fetch(`${stockfish}/stockfish.wasm`), ...modules]);
    if (!code.ok) throw new Error(code.statusText);
    await code.arrayBuffer();
    rules = Object.assign({}, ...parts);
  } catch {
    fail();
    return;
  }
  worker = new Worker(`${stockfish}/stockfish.js`);
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = fail;
  for (const option of [`MultiPV value ${LINES}`, "UCI_Chess960 value true"]) worker.postMessage(`setoption name ${option}`);
  worker.postMessage("isready");
  look(position());
}

function turnOff() {
  worker?.terminate();
  worker = busy = here = mine = null;
  ready = false;
  board.point(null);
  at("state").textContent = "";
  if (free.length) reset();
}

function fail() {
  turnOff();
  at("state").textContent = texts.failed;
  panel.querySelector("#engine-switch").setAttribute("aria-pressed", "false");
}

// The position of the page; null if chessops refuses it.
function position() {
  if (!rules) return null;
  return rules.parseFen(panel.dataset.fen).chain((setup) => rules.Chess.fromSetup(setup)).unwrap((pos) => pos, () => null);
}

function look(pos) {
  const fen = pos && rules.makeFen(pos.toSetup());
  if (fen && here?.fen === fen) return draw();
  here = pos && { pos, fen, lines: [], depth: 0 };
  if (mine?.fen !== fen) mine = null;
  search();
  draw();
}

function search() {
  if (busy) {
    if (busy !== here) worker?.postMessage("stop"); // its last word leads back here
  } else if (ready && here && !here.pos.isEnd()) {
    busy = here;
    worker.postMessage(`position fen ${here.fen}`);
    worker.postMessage(`go ${LIMITS}`);
  }
}

function heard(said) {
  if (said === "readyok") {
    ready = true;
    search();
    draw();
  } else if (said.startsWith("bestmove")) {
    const done = busy;
    busy = null;
    if (done !== here) search();
    else if (done) document.getElementById("said").textContent = `${summary()} ${judged()}`;
  } else if (busy && busy === here) {
    const found = said.match(/^info depth (\d+) .*multipv (\d+) score (cp|mate) (-?\d+) (?!lower|upper).*\bpv (.+)/);
    if (!found || found[1] < LEAST_DEPTH) return;
    const sign = here.pos.turn === "white" ? 1 : -1;
    here.depth = Number(found[1]);
    here.lines[found[2] - 1] = { [found[3]]: sign * found[4], moves: found[5].split(" ") };
    draw();
  }
}

// A move was played on the board: it is judged at once, wherever the page goes.
function played(uci) {
  const move = rules?.parseUci(uci);
  if (!worker || !here || !here.pos.isLegal(move)) return;
  const before = here;
  const pos = before.pos.clone();
  pos.play(move);
  mine = { before, uci, san: variation(before.pos, [uci]), fen: rules.makeFen(pos.toSetup()) };
  look(pos);
}

// Whether the page stays while that move is played; else it leaves for the page of the position.
function follows(uci) {
  if (!worker || !mine || mine.fen !== here?.fen) return false;
  free.push({ pos: here.pos, uci });
  place();
  return true;
}

function place() {
  const last = free.at(-1);
  panel.closest(".view")?.classList.toggle("free", Boolean(last)); // trapline's values are of another position
  if (last) {
    const { pos, uci } = last;
    const dests = Object.fromEntries([...rules.chessgroundDests(pos)].map(([from, to]) => [from, to.join("")]));
    const squares = [uci.slice(0, 2), uci.slice(2, 4)];
    board.show({ fen: here.fen, turn: pos.turn, dests, last: squares, check: pos.isCheck(), shapes: [], next: null });
  } else {
    board.show();
  }
  draw();
}

function takeBack() {
  free.pop();
  look(free.at(-1)?.pos ?? position());
  place();
}

function reset() {
  free = [];
  if (worker) look(position());
  place();
}

function pressed(event) {
  const pressedOn = event.target.closest?.("#engine-back, #engine-reset");
  if (pressedOn) (pressedOn.id === "engine-back" ? takeBack : reset)();
}

// The key that steps back takes back what was played beside the page.
function stepped(event) {
  if (event.key !== "ArrowLeft" || !free.length || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  event.stopPropagation();
  takeBack();
}

// What is shown ------------------------------------------------------------------------------------------------------

function value(line) {
  if ("mate" in line) return `#${line.mate}`;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" };
  return (line.cp / 100).toLocaleString(document.documentElement.lang, digits);
}

// White's win chance in percent.
function chance(line) {
  if ("mate" in line) return line.mate > 0 ? 100 : 0;
  return Math.round(50 * (1 + Math.tanh((SCALE * line.cp) / 2)));
}

// Numbered moves: 5...Bxd1 6.Bxf7+.
function variation(pos, moves) {
  return rules.makeSanVariation(pos, moves.map(rules.parseUci)).replace(/(\d\.+) /g, "$1");
}

function summary() {
  const [first] = here?.lines ?? [];
  return first ? board.fill(texts.value, { value: value(first), chance: chance(first) }) : "";
}

// Why not this move: its value, the answer, and what was better.
function judged() {
  const [first] = here?.lines ?? [];
  if (!mine || !first) return "";
  const said = [board.fill(texts.mine, { move: mine.san, value: value(first) })];
  said.push(board.fill(texts.answer, { answer: variation(here.pos, first.moves.slice(0, 1)) }));
  const [best] = mine.before.lines;
  if (best) {
    const san = variation(mine.before.pos, best.moves.slice(0, 1));
    said.push(san === mine.san ? texts.best : board.fill(texts.better, { best: san, value: value(best) }));
  }
  return said.join(" ");
}

function draw() {
  if (drawing || !worker) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (worker) paint();
  });
}

function paint() {
  const lines = here?.lines ?? [];
  const over = here?.pos.isEnd();
  at("state").textContent = !ready ? texts.loading : over ? texts.ended : here ? "" : texts.refused;
  at("value").textContent = summary();
  at("depth").textContent = lines.length ? board.fill(texts.depth, { depth: here.depth }) : "";
  const result = { white: 100, black: 0 }[here?.pos.outcome()?.winner] ?? 50;
  results.querySelector(".engine-bar span").style.width = `${lines.length ? chance(lines[0]) : result}%`;
  at("mine").textContent = judged();
  at("lines").replaceChildren(...lines.map(row));
  at("free").hidden = !free.length;
  at("line").textContent = free.length ? variation(position(), free.map((move) => move.uci)) : "";
  board.point(lines[0]?.moves[0]);
}

function row(line) {
  const item = document.createElement("li");
  const worth = document.createElement("strong");
  worth.textContent = value(line);
  item.append(worth, ` ${variation(here.pos, line.moves.slice(0, PLIES))}`);
  return item;
}
