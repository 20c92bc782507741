// One trace, step by step. Texts are made by functions of the data; start() puts them into the page.

const STATES = ["given", "masked", "new", "kept", "flip", "remask", "pad"];
const STATE_DOC = ["part of the prompt", "masked", "unmasked in this step", "unchanged",
  "changed", "remasked", "padding"];
const CELL = 14, LABELS = 108;

function cellAt(data, step, position) {
  return step * data.positions + position;
}

// A layer that was not recorded is empty: its numbers are unknown.
function valueAt(values, i) {
  return values.length ? values[i] : NaN;
}

function shade(data, i) {
  const p = valueAt(data.confidence, i);
  return Number.isFinite(p) ? p : 0;
}

// Token texts for display: SentencePiece's word boundary mark is a blank.
function tokenText(data, token) {
  if (token === undefined) return "";
  const text = data.token_texts[token];
  return text === undefined ? "#" + token : text.replace(/\u2581/g, " ");
}

function stepText(data, step) {
  let text = "";
  for (let position = 0; position < data.positions; ++position) {
    const i = cellAt(data, step, position);
    if (STATES[data.state[i]] !== "pad") text += tokenText(data, data.tokens[i]);
  }
  return text.trim();
}

function stepFacts(data, step) {
  const facts = { confidence: 0, entropy: 0, changes: 0, fresh: 0, masked: 0, positions: 0 };
  for (let position = 0; position < data.positions; ++position) {
    const i = cellAt(data, step, position), state = STATES[data.state[i]];
    if (state === "pad") continue;
    ++facts.positions;
    facts.confidence += valueAt(data.confidence, i);
    facts.entropy += valueAt(data.entropy, i);
    facts.changes += state === "flip" || state === "remask";
    facts.fresh += state === "new";
    facts.masked += state === "masked" || state === "remask";
  }
  facts.confidence /= Math.max(1, facts.positions);
  facts.entropy /= Math.max(1, facts.positions);
  return facts;
}

function readout(data, step) {
  const f = stepFacts(data, step);
  const parts = [`step ${step + 1}/${data.steps}`, `t = ${numberText(data.t[step], 3)}`,
    `log-SNR ${numberText(num(data.log_snr[step]), 3)}`];
  if (Number.isFinite(f.confidence)) parts.push(`mean confidence ${numberText(f.confidence, 3)}`);
  if (Number.isFinite(f.entropy)) parts.push(`mean entropy ${numberText(f.entropy, 3)} nats`);
  parts.push(`${f.changes} ${f.changes === 1 ? "change" : "changes"}`);
  if (f.masked) parts.push(`${f.masked} masked`);
  return parts.join(" · ");
}

// What the trace declares of a position, as words.
function declaredDoc(data, i) {
  return (data.will_mask[i] ? "; remasked in the next step" : "") + (data.committed[i] ? "; its block is finished" : "");
}

// A finished block stands in brackets: one where it begins, one where it ends.
function bracketsHtml(data, step, position) {
  const inside = (s) => s >= 0 && s < data.positions && data.committed[cellAt(data, step, s)] === 1;
  if (!inside(position)) return "";
  return (inside(position - 1) ? "" : `<span class="bracket from"></span>`) + (inside(position + 1) ? "" : `<span class="bracket to"></span>`);
}

function tokenHtml(data, step, position, chosen) {
  const i = cellAt(data, step, position), state = STATES[data.state[i]], p = shade(data, i);
  const before = step > 0 ? data.tokens[cellAt(data, step - 1, position)] : undefined;
  const was = (state === "flip" || state === "remask") && before !== undefined
    ? `<span class="was">${esc(tokenText(data, before).trim())}</span>` : "";
  return `<div class="token ${state}${data.will_mask[i] ? " will-mask" : ""}${position === chosen ? " chosen" : ""}${p > 0.55 ? " deep" : ""}" data-position="${position}" ` +
    `style="--p:${p.toFixed(3)}" title="${STATE_DOC[data.state[i]]}${declaredDoc(data, i)}">${was}${bracketsHtml(data, step, position)}` +
    `<span class="text">${esc(tokenText(data, data.tokens[i]).trim()) || "␣"}</span><span class="fraction">${data.confidence.length ? p.toFixed(2) : ""}</span></div>`;
}

function canvasHtml(data, step, chosen) {
  let html = "";
  for (let position = 0; position < data.positions; ++position) html += tokenHtml(data, step, position, chosen);
  return html;
}

// Dotted rings around what the next step masks, and a bracket where a block was finished, over its positions.
function declaredSvg(data) {
  const rings = { pale: "", deep: "" };
  for (let step = 0; step < data.steps; ++step)
    for (let position = 0; position < data.positions; ++position) {
      const i = cellAt(data, step, position), x = LABELS + step * CELL, y = position * CELL;
      if (data.will_mask[i] && STATES[data.state[i]] !== "pad")
        rings[shade(data, i) > 0.55 ? "deep" : "pale"] += `M${x + 1.5} ${y + 7}a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0`;
    }
  const brackets = data.finished_blocks.map(([step, from, count]) =>
    `M${LABELS + step * CELL + 4.5} ${from * CELL + 1}h-3v${count * CELL - 2}h3`).join("");
  return `<path class="mark ring" d="${rings.pale}"/><path class="mark deep ring" d="${rings.deep}"/>` +
    `<path class="under" d="${brackets}"/><path class="mark finished" d="${brackets}" stroke-width="1.5"/>`;
}

// Positions down, steps to the right. One path for each shade, so that long traces stay light.
function mapSvg(data) {
  const shades = Array.from({ length: 17 }, () => ""), marks = { "mark": "", "mark deep": "", "mark full": "", "mark deep full": "" };
  for (let step = 0; step < data.steps; ++step)
    for (let position = 0; position < data.positions; ++position) {
      const i = cellAt(data, step, position), x = LABELS + step * CELL, y = position * CELL;
      if (STATES[data.state[i]] === "pad") continue;
      shades[Math.round(shade(data, i) * 16)] += `M${x} ${y}h${CELL}v${CELL}h-${CELL}z`;
      const mark = data.mark_shapes[data.state[i]];
      if (data.marked[i])
        marks["mark" + (shade(data, i) > 0.55 ? " deep" : "") + (mark.filled ? " full" : "")] += `M${x + CELL / 2} ${y + CELL / 2}${mark.path}`;
    }
  const width = LABELS + data.steps * CELL, height = data.positions * CELL;
  let svg = `<svg class="map" viewBox="0 0 ${width} ${height}" style="max-width:${Math.round(width * 1.2)}px" role="img" aria-label="positions by steps, darker: higher confidence">`;
  shades.forEach((d, level) => {
    if (d) svg += `<path d="${d}" fill="var(--strong)" shape-rendering="crispEdges" fill-opacity="${(level / 16).toFixed(3)}"/>`;
  });
  svg += Object.entries(marks).map(([ink, d]) => `<path class="${ink}" d="${d}"/>`).join("") + declaredSvg(data);
  for (let position = 0; position < data.positions; ++position) {
    const i = cellAt(data, data.steps - 1, position);
    if (STATES[data.state[i]] === "pad") continue;
    svg += `<text x="${LABELS - 5}" y="${position * CELL + 11}" text-anchor="end">${esc(tokenText(data, data.tokens[i]).trim().slice(0, 14))}</text>`;
  }
  return svg + `<path class="halo" d=""/><path class="head" d=""/></svg>`;
}

// What a position held, from when to when.
function positionHistory(data, position) {
  const spans = [];
  for (let step = 0; step < data.steps; ++step) {
    const token = data.tokens[cellAt(data, step, position)], last = spans[spans.length - 1];
    if (last && last.token === token) last.to = step;
    else spans.push({ token, from: step, to: step });
  }
  return spans;
}

function positionHtml(data, step, position) {
  const i = cellAt(data, step, position), spans = positionHistory(data, position);
  const path = spans.map((s) => `“${esc(tokenText(data, s.token).trim())}” <span class="same">${s.from + 1}${s.to > s.from ? "–" + (s.to + 1) : ""}</span>`);
  let html = `<p>position ${position}: ${spans.length - 1} ${spans.length === 2 ? "change" : "changes"}; ${path.join(" → ")}</p><div class="candidates">`;
  for (let k = 0; k < data.candidates && data.top_ids.length; ++k) {
    const p = data.top_prob[i * data.candidates + k];
    if (p <= 0) continue;
    html += `<span class="mono">${esc(tokenText(data, data.top_ids[i * data.candidates + k]).trim())}</span>` +
      `<span class="bar" style="width:${(p * 100).toFixed(1)}%"></span><span class="mono">${p.toFixed(3)}</span>`;
  }
  return html + "</div>";
}

// The next step, in the given direction, in which a token changes; the present one if there is none.
function nextChange(data, step, direction) {
  for (let s = step + direction; s >= 0 && s < data.steps; s += direction) if (stepFacts(data, s).changes) return s;
  return step;
}

function legendHtml(data) {
  const used = STATES.map((_, k) => data.state.includes(k));
  return STATES.map((name, k) => used[k]
    ? `<span><span class="token ${name}" style="--p:0.25;display:inline-block">a</span> ${STATE_DOC[k]}</span>` : "").join("") +
    (data.will_mask.includes(1) ? `<span><span class="token will-mask" style="--p:0.25;display:inline-block">a</span> remasked in the next step</span>` : "") +
    (data.committed.includes(1) ? `<span><span class="token" style="--p:0.25;display:inline-block">a<span class="bracket from"></span><span class="bracket to"></span></span> in a finished block</span>` : "") +
    (data.confidence.length ? `<span>confidence: 0 <span class="ramp"></span> 1</span>` : "");
}

// {"sampler.steps":10} as people read it: "steps 10".
function settingsText(text) {
  let settings;
  try {
    settings = JSON.parse(text);
  } catch {
    return text;
  }
  return Object.entries(settings).map(([key, value]) => key.replace(/^sampler\./, "") + " " + value).join(" · ");
}

function factsHtml(data) {
  const m = data.meta, rows = [["prompt", m.prompt], ["reference", m.reference], ["output", m.output], ["model", m.family],
    ["run", m.run], ["checkpoint", m.checkpoint], ["sampler", m.sampler && settingsText(m.sampler)], ["seed", m.seed]];
  return `<table><tbody>${rows.filter(([, v]) => v).map(([k, v]) =>
    `<tr><th scope="row">${k}</th><td${["sampler", "run", "checkpoint"].includes(k) ? ` class="mono"` : ""}>${esc(v)}</td></tr>`).join("")}</tbody></table>`;
}

function playerHtml(data) {
  return `<header><h1>${esc(data.title)}</h1><p class="sub">written ${esc(data.written)} · Kurve ${esc(data.version)}</p></header>` +
    `<section>${factsHtml(data)}</section>` +
    `<section><div class="controls"><button id="first" title="Home">|◀</button><button id="back" title="←">◀</button>` +
    `<button id="play" title="Space">Play</button><button id="on" title="→">▶</button><button id="last" title="End">▶|</button>` +
    `<input id="step" type="range" min="0" max="${data.steps - 1}" value="${data.steps - 1}" aria-label="denoising step">` +
    `<label>speed <select id="speed"><option value="2">½</option><option value="4" selected>1</option><option value="8">2</option><option value="16">4</option></select></label></div>` +
    `<p id="readout" class="mono" aria-live="polite"></p><div id="canvas" class="canvas"></div><div class="legend">${legendHtml(data)}</div></section>` +
    `<section><h2>All steps</h2><p class="note hint">Click a cell, or drag; ← → step, Shift ten, Home End, Space plays, ↑ ↓ position, E and Shift+E the next and previous change.</p><div class="wide">${mapSvg(data)}</div></section>` +
    `<section><h2>One position</h2><div id="position"></div></section>`;
}

class Player {
  constructor(data) {
    this.data = data;
    this.step = data.steps - 1;
    this.position = 0;
    this.timer = 0;
  }

  show(step, position = this.position) {
    this.step = Math.min(Math.max(step, 0), this.data.steps - 1);
    this.position = Math.min(Math.max(position, 0), this.data.positions - 1);
    document.getElementById("step").value = this.step;
    document.getElementById("readout").textContent = readout(this.data, this.step);
    document.getElementById("canvas").innerHTML = canvasHtml(this.data, this.step, this.position);
    document.getElementById("position").innerHTML = positionHtml(this.data, this.step, this.position);
    for (const line of document.querySelectorAll(".map .halo, .map .head")) line.setAttribute("d",
      `M${LABELS + this.step * CELL} 0h${CELL}v${this.data.positions * CELL}h-${CELL}zM0 ${this.position * CELL}h${LABELS + this.data.steps * CELL}v${CELL}H0z`);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    document.getElementById("play").textContent = "Play";
  }

  play() {
    if (this.timer) return this.pause();
    if (this.step === this.data.steps - 1) this.show(0);
    document.getElementById("play").textContent = "Pause";
    const tick = () => {
      if (this.step === this.data.steps - 1) return this.pause();
      this.show(this.step + 1);
      this.timer = setTimeout(tick, 1000 / Number(document.getElementById("speed").value));
    };
    this.timer = setTimeout(tick, 250);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    const far = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowLeft: () => this.show(this.step - far), ArrowRight: () => this.show(this.step + far),
      ArrowUp: () => this.show(this.step, this.position - 1), ArrowDown: () => this.show(this.step, this.position + 1),
      Home: () => this.show(0), End: () => this.show(this.data.steps - 1), " ": () => this.play(),
      e: () => this.show(nextChange(this.data, this.step, 1)), E: () => this.show(nextChange(this.data, this.step, -1)),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    if (event.key !== " ") this.pause();
    actions[event.key]();
  }

  wire() {
    const on = (id, kind, action) => document.getElementById(id).addEventListener(kind, action);
    on("step", "input", (event) => (this.pause(), this.show(Number(event.target.value))));
    on("first", "click", () => (this.pause(), this.show(0)));
    on("last", "click", () => (this.pause(), this.show(this.data.steps - 1)));
    on("back", "click", () => (this.pause(), this.show(this.step - 1)));
    on("on", "click", () => (this.pause(), this.show(this.step + 1)));
    on("play", "click", () => this.play());
    on("canvas", "click", (event) => {
      const token = event.target.closest(".token");
      if (token) this.show(this.step, Number(token.dataset.position));
    });
    const map = document.querySelector(".map"), follow = (event) => {
      if (!(event.buttons & 1)) return;
      const frame = map.getBoundingClientRect(), unit = frame.height / (this.data.positions * CELL);
      const x = (event.clientX - frame.left) / unit, y = (event.clientY - frame.top) / unit;
      this.pause();
      this.show(Math.floor((x - LABELS) / CELL), Math.floor(y / CELL));
    };
    map.addEventListener("mousedown", follow);
    map.addEventListener("mousemove", follow);
    document.addEventListener("keydown", (event) => this.key(event));
  }
}

function start() {
  const data = pageData();
  document.querySelector("main").innerHTML = playerHtml(data);
  const player = new Player(data);
  player.wire();
  player.show(data.steps - 1);
}

if (typeof document !== "undefined") start();
