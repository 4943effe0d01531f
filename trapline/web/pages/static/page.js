// What the pages gain by script; each works without. Links and forms stay what they are: a press that only changes the
// part of the page in #view fetches the same address and puts that part in place, so nothing jumps or flickers.
"use strict";

const VIEW = "view";
const TEXTS = JSON.parse(document.body.dataset.texts); // in the language of the page
let latest = 0;

// A text with its gaps, such as %(name)s, filled.
function fill(words, gaps) {
  return words.replace(/%\((\w+)\)s|%%/g, (gap, key) => (key ? gaps[key] : "%"));
}

const text = (name, gaps = {}) => fill(TEXTS[name], gaps);

async function turn(address, { replace = false, remember = true, whole = false } = {}) {
  const mine = ++latest;
  let answer;
  try {
    // First what is known at once; what takes longer follows.
    answer = await fetch(address, { headers: { Accept: "text/html", ...(whole ? {} : { "X-Part": "quick" }) } });
  } catch {
    location.assign(address);
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = fresh.getElementById(VIEW);
  const old = document.getElementById(VIEW);
  if (mine !== latest) return;
  if (!part || !old) {
    location.assign(address);
    return;
  }
  // The next board is decoded before it takes the place of the old one; a live one is moved instead.
  const board = part.querySelector("img[data-board]");
  const glides = window.trapline.adopt && part.querySelector("[data-ground]");
  if (board && glides) board.dataset.src = board.getAttribute("src"), board.removeAttribute("src");
  else if (board) {
    const ahead = new Image();
    ahead.src = board.getAttribute("src");
    await ahead.decode().catch(() => {});
    if (mine !== latest) return;
  }
  const focused = document.activeElement && document.activeElement.id;
  const scrolled = old.querySelector("[data-keeps-scroll]");
  const top = scrolled ? scrolled.scrollTop : 0;
  old.replaceWith(document.adoptNode(part));
  window.trapline.adopt?.(part);
  document.title = fresh.title;
  if (remember) history[replace ? "replaceState" : "pushState"]({ turned: true }, "", answer.url);
  const list = part.querySelector("[data-keeps-scroll]");
  if (list) {
    list.scrollTop = top;
    const here = list.querySelector("[aria-current]");
    if (here && (here.offsetTop < list.scrollTop || here.offsetTop + here.offsetHeight > list.scrollTop + list.clientHeight)) {
      list.scrollTop = here.offsetTop - list.clientHeight / 2;
    }
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  const said = document.getElementById("said");
  if (said) said.textContent = part.querySelector("[data-say]")?.textContent.trim() ?? "";
  dress();
  if (part.querySelector("[data-later]")) turn(answer.url, { remember: false, whole: true });
}

window.trapline = { turn, text, fill };

document.addEventListener("click", (event) => {
  const link = event.target.closest(`#${VIEW} a[data-turn]`);
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  turn(link.href, { replace: link.dataset.turn === "step" });
});

addEventListener("popstate", () => {
  if (document.getElementById(VIEW)) turn(location.href, { remember: false });
});
history.replaceState({ turned: true }, "");

// Arrow keys: over the fields of a board where it has the focus, else through the moves.
const STEPS = { ArrowLeft: "prev", ArrowRight: "next", ArrowUp: "first", ArrowDown: "last", Home: "first", End: "last" };
const PRESSED = { f: "step-flip", " ": "best" }; // as on lichess
const WAYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };

document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, summary")) return;
  const pressed = document.getElementById(PRESSED[event.key] ?? "");
  if (pressed && !(event.key === " " && event.target.closest("button, a"))) {
    event.preventDefault();
    pressed.click();
    return;
  }
  const field = event.target.closest(".squares > *");
  if (field && event.key in WAYS) {
    const fields = [...field.parentElement.children];
    const from = fields.indexOf(field);
    const to = from + WAYS[event.key];
    const leavesRow = Math.abs(WAYS[event.key]) === 1 && Math.floor(from / 8) !== Math.floor(to / 8);
    if (fields[to] && !leavesRow) {
      field.tabIndex = -1;
      fields[to].tabIndex = 0;
      fields[to].focus();
    }
    event.preventDefault();
  } else if (event.key in STEPS && !(event.target.closest("[data-keeps-scroll]") && /Up|Down/.test(event.key))) {
    const link = document.querySelector(`#${VIEW} a[data-step="${STEPS[event.key]}"]`);
    if (link) {
      event.preventDefault();
      link.click();
    }
  }
});

// Of the fields of a board one is a stop of the tab key; the arrows reach the others.
function dress() {
  for (const squares of document.querySelectorAll(".squares")) {
    const fields = [...squares.children];
    const focused = fields.find((field) => field === document.activeElement);
    const stop = focused ?? squares.querySelector(".from") ?? fields[0];
    for (const field of fields) field.tabIndex = field === stop ? 0 : -1;
  }
  // What scrolls sideways is reached by the keyboard.
  for (const wide of document.querySelectorAll(".wide")) if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  const waiting = document.querySelector("[data-again]");
  if (waiting) setTimeout(() => turn(location.href, { replace: true }), Number(waiting.dataset.again));
}

// Why the server refused something: in the words of a page, or of a problem as programs are told it.
function reason(answer) {
  if ((answer.getResponseHeader("Content-Type") ?? "").startsWith("application/problem+json")) {
    return JSON.parse(answer.responseText).detail;
  }
  const page = new DOMParser().parseFromString(answer.responseText, "text/html");
  return page.querySelector("[role=alert]")?.textContent.trim();
}

// A plot of a game is a scale: a press goes to the move that is there.
document.addEventListener("click", (event) => {
  const plot = event.target.closest?.("svg.chances");
  if (!plot) return;
  const box = plot.getBoundingClientRect();
  const ply = Math.round(((event.clientX - box.left) / box.width) * Number(plot.dataset.plies));
  document.getElementById(`ply-${ply}`)?.click();
});

// Empty fields of a form that asks for a page do not belong into its address.
document.addEventListener("formdata", (event) => {
  if (event.target.method !== "get") return;
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});

// A file may be dropped onto the field that games are pasted into.
document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("[data-drop]")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const field = event.target.closest?.("[data-drop]");
  const file = event.dataTransfer?.files[0];
  if (!field || !file) return;
  event.preventDefault();
  const input = field.form.querySelector("input[type=file]");
  input.files = event.dataTransfer.files;
  field.form.querySelector("[data-words]").textContent = text("chosen", { name: file.name });
});

// An upload tells how far it is.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (!form) return;
  event.preventDefault();
  const file = form.querySelector("input[type=file]").files[0];
  const most = Number(form.dataset.upload);
  if (file && file.size > most * 2 ** 20) {
    // The server would hang up in the middle of it, and its reason be lost.
    form.querySelector("[data-words]").textContent = text("large", { size: Math.ceil(file.size / 2 ** 20), most });
    return;
  }
  const bar = form.querySelector("progress");
  const words = form.querySelector("[data-words]");
  const button = form.querySelector("button");
  const sending = new XMLHttpRequest();
  const stop = (why) => {
    bar.hidden = true;
    button.disabled = false;
    words.textContent = why;
  };
  sending.upload.addEventListener("progress", (step) => {
    if (step.lengthComputable) bar.value = step.loaded / step.total;
    words.textContent = step.loaded < step.total ? text("sending", { percent: Math.round((100 * step.loaded) / step.total) }) : text("reading");
  });
  sending.addEventListener("load", () => {
    if (sending.status < 400) {
      location.assign(sending.responseURL);
      return;
    }
    stop(reason(sending) || text("refused", { status: sending.status }));
  });
  sending.addEventListener("error", () => stop(text("unsent")));
  sending.open(form.method, form.action);
  sending.setRequestHeader("Accept", "text/html");
  bar.hidden = false;
  button.disabled = true;
  sending.send(new FormData(form));
});

dress();
