// The board of the pages where scripts run and chessground was fetched: it takes the place of the picture that a page
// has in any case. The page says in data-ground what stands on it and where a move leads (trapline/web/pages/boards.py).
import { Chessground } from "./chessground/chessground.min.js";

let live = null; // {api, element, data}: one board is kept over all steps, so that pieces glide

const squares = (text) => text.match(/../g) ?? [];
const filled = (address, values) => address.replace(/\{(\w+)\}/g, (gap, name) => encodeURIComponent(values[name] ?? ""));

function promotes(data, orig, dest) {
  return live.api.state.pieces.get(dest)?.role === "pawn" && /[18]$/.test(dest) && !data.setup;
}

// What a pawn becomes is asked in a dialog; closed without a choice, the pawn goes back.
function ask(chosen) {
  const dialog = document.createElement("dialog");
  dialog.className = "promotion";
  dialog.setAttribute("aria-label", page.text("promote"));
  const form = document.createElement("form");
  form.method = "dialog";
  for (const letter of "qrbn") {
    const button = document.createElement("button");
    button.value = letter;
    button.textContent = page.text(letter);
    form.append(button);
  }
  dialog.append(form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue) chosen(dialog.returnValue);
    else live.api.set(settings(live.data));
  });
  document.body.append(dialog);
  dialog.showModal();
}

// castling as chessground makes it may end on the rook's square
function moved(orig, dest) {
  if (promotes(live.data, orig, dest)) ask((letter) => played(`${orig}${dest}${letter}`));
  else played(`${orig}${dest}`);
}

function played(uci) {
  const data = live.data;
  page.engine?.played(uci);
  if (data.next && data.next[0] === uci) {
    page.turn(data.next[1], { replace: true });
  } else if (data.answer) {
    const field = document.getElementById("move");
    field.value = uci;
    field.form.requestSubmit();
  } else if (data.setup) {
    changed();
  } else if (data.leaves && page.engine?.follows(uci)) {
    return; // stays here, and the engine judges it
  } else if (data.play) {
    const address = filled(data.play, { uci });
    if (data.leaves) location.assign(address);
    else page.turn(address);
  }
}

function changed() {
  page.turn(filled(live.data.setup, { pieces: live.api.getFen() }), { replace: true });
}

function settings(data) {
  const free = Boolean(data.setup);
  const dests = new Map(Object.entries(data.dests ?? {}).map(([from, to]) => [from, squares(to)]));
  return {
    fen: data.fen,
    orientation: data.side,
    turnColor: data.turn,
    lastMove: data.last,
    check: data.check,
    coordinates: true,
    animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 150 },
    movable: { free, color: free ? "both" : data.dests ? data.turn : undefined, dests, showDests: true, rookCastle: true, events: { after: moved } },
    premovable: { enabled: false },
    draggable: { enabled: true, deleteOnDropOff: free, showGhost: true },
    events: { dropNewPiece: free ? changed : undefined },
    drawable: { enabled: true, autoShapes: data.shapes, eraseOnMovablePieceClick: true },
    disableContextMenu: true,
  };
}

// Put the board into a part of the page; the picture behind it is not loaded then.
function place(part) {
  ground(part);
  offer(part);
}

function ground(part) {
  const frame = part.querySelector("[data-ground]");
  if (!frame) {
    live?.api.destroy();
    live = null;
    return;
  }
  const data = JSON.parse(frame.dataset.ground);
  if (live) {
    live.data = data;
    frame.append(live.element);
    live.api.state.dom.bounds.clear(); // it may stand elsewhere now
    if (live.told !== frame.dataset.ground) {
      // Otherwise somebody may be dragging a piece already.
      live.api.set({ ...settings(data), selected: undefined });
      live.api.setShapes([]);
    }
  } else {
    const element = document.createElement("div");
    element.className = "ground";
    element.setAttribute("aria-hidden", "true"); // the picture's words and the squares over it are what is read
    frame.append(element);
    live = { api: null, element, data };
    live.api = Chessground(element, settings(data));
    element.addEventListener("pointerup", dropped);
  }
  live.told = frame.dataset.ground;
  frame.classList.add("live");
}

// The engine is loaded when somebody asks for it, and stays on in this tab.
let loading = null;

function offer(part) {
  const panel = part.querySelector("#engine");
  if (page.engine) {
    page.engine.adopt(panel);
  } else if (panel) {
    const runs = typeof WebAssembly === "object";
    panel.querySelector(runs ? "button" : "[data-none]").hidden = false;
    if (runs && wasOn()) load();
  }
}

function wasOn() {
  try {
    return Boolean(sessionStorage.getItem("engine"));
  } catch {
    return false; // the browser stores nothing
  }
}

async function load() {
  loading ??= import(document.getElementById("engine").dataset.script);
  const { start } = await loading;
  if (page.engine) return;
  page.engine = start({ show, point, fill: page.fill });
  page.engine.adopt(document.getElementById("engine"));
  page.engine.toggle();
}

// The board as the page has it, with these changes: for moves that only the engine follows.
function show(changes = {}) {
  live.data = { ...JSON.parse(live.told), ...changes };
  live.api.set({ ...settings(live.data), selected: undefined });
}

// The arrow of a move in UCI beside those of the page.
function point(uci) {
  const arrow = uci ? [{ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush: "blue" }] : [];
  live?.api.setAutoShapes([...(live.data.shapes ?? []), ...arrow]);
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#engine-switch")) return;
  if (page.engine) page.engine.toggle();
  else load();
});

// A piece that is dragged off the board while a position is set up is gone.
function dropped() {
  if (!live?.data.setup) return;
  const before = live.data.fen;
  setTimeout(() => {
    if (live && live.data.fen === before && live.api.getFen() !== before) changed();
  }, 50);
}

// Pieces of the palette are dragged onto the board, or chosen by a press as without scripts.
document.addEventListener("pointerdown", (event) => {
  const link = event.target.closest?.(".palette a[data-piece]");
  if (!link || !live?.data.setup || event.button) return;
  const letter = link.dataset.piece;
  if (!letter) return;
  const role = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" }[letter.toLowerCase()];
  const color = letter === letter.toLowerCase() ? "black" : "white";
  const begin = (step) => {
    if (Math.hypot(step.clientX - event.clientX, step.clientY - event.clientY) < 6) return;
    stop();
    live.api.dragNewPiece({ role, color }, step);
  };
  const stop = () => {
    document.removeEventListener("mousemove", begin);
    document.removeEventListener("mouseup", stop);
  };
  document.addEventListener("mousemove", begin);
  document.addEventListener("mouseup", stop);
});
document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.(".palette")) event.preventDefault();
});

const page = window.trapline;
page.adopt = place;
if (document.getElementById("view")) place(document);
