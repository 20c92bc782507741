// A comparison of runs. Everything is made of texts by functions of the data; start() puts them into the page.

// ---- tables

function isHidden(data, run) {
  return !!data.view && data.view.hidden.includes(run.id);
}

function heads(data, first) {
  return `<thead><tr><th scope="col">${esc(first)}</th>` +
    data.runs.map((run) => `<th scope="col">${swatch(run.style)}${esc(run.name)}${isHidden(data, run) ? ` <span class="note">hidden</span>` : ""}</th>`).join("") + "</tr></thead>";
}

function runsTable(data) {
  const facts = [
    ["id", (r) => `<span class="mono">${esc(r.id)}</span>`],
    ["family", (r) => esc(r.family)],
    ["task", (r) => esc(r.task)],
    ["state", (r) => esc(r.state) + (r.reason ? `<br><span class="note">${esc(r.reason)}</span>` : "")],
    ["steps", (r) => countText(r.step)],
    ["time", (r) => r.seconds > 0 ? durationText(r.seconds) : ""],
    ["started", (r) => r.started > 0 ? timeText(r.started) : ""],
    ["parameters", (r) => r.parameters ? countText(r.parameters) : ""],
    ["parent", (r) => esc(r.parent)],
    ["source", (r) => esc(r.source)],
    ["tags", (r) => esc(r.tags.join(" "))],
    ["notes", (r) => esc(r.notes)],
    ["settings hash", (r) => `<span class="mono">${esc(r.config_hash.slice(0, 12))}</span>`],
    ["data hash", (r) => `<span class="mono">${esc(r.data_hash.slice(0, 12))}</span>`],
    ["program", (r) => esc(r.program)],
  ];
  let html = `<div class="wide"><table>${heads(data, "")}<tbody>`;
  for (const [title, cell] of facts) {
    const cells = data.runs.map(cell);
    if (!cells.some((c) => c.replace(/<[^>]*>/g, ""))) continue;
    html += `<tr><th scope="row">${title}</th>${cells.map((c) => `<td>${c || "–"}</td>`).join("")}</tr>`;
  }
  return html + "</tbody></table></div>";
}

// A value and how far it is from the first run's; colour only where one direction is better, and an arrow with it.
function deltaCell(value, first, isFirst, metric, best = "") {
  if (value === undefined) return `<td class="number same">–</td>`;
  const text = numberText(value, 5);
  const delta = value - first;
  if (isFirst || first === undefined || !Number.isFinite(delta)) return `<td class="number">${text}${best}</td>`;
  if (delta === 0) return `<td class="number">${text} <span class="same">=</span>${best}</td>`;
  const direction = !metric.ranked ? "same" : (delta > 0) === metric.higher_is_better ? "good" : "bad";
  return `<td class="number">${text} <span class="${direction}">${delta > 0 ? "▲" : "▼"} ${numberText(Math.abs(delta), 3)}</span>${best}</td>`;
}

// The best value that a curve had, where it is not the last one.
function bestNote(run, metric) {
  const best = metric.ranked && run.best && run.best[metric.id];
  if (!best) return "";
  const [value, step] = metric.higher_is_better ? [best.high, best.high_step] : [best.low, best.low_step];
  return value === run.last[metric.id] ? "" : `<br><span class="note">best ${numberText(value, 5)} at ${countText(step)}</span>`;
}

function unitText(metric) {
  return esc(metric.title) + (metric.unit ? ` <span class="note">/ ${esc(metric.unit)}</span>` : "");
}

function metricsTable(data) {
  let html = `<div class="wide"><table>${heads(data, "last value")}<tbody>`;
  for (const metric of data.metrics) {
    const values = data.runs.map((run) => run.last[metric.id] === undefined ? undefined : num(run.last[metric.id]));
    html += `<tr><th scope="row" title="${esc(metric.doc)}">${unitText(metric)}</th>` +
      values.map((v, i) => deltaCell(v, values[0], i === 0, metric, bestNote(data.runs[i], metric))).join("") + "</tr>";
  }
  return html + "</tbody></table></div>";
}

// `styles`: of what each value is of.
function intervalSvg(score, styles) {
  const known = score.values.map((v, index) => v && { style: styles[index], ...v }).filter(Boolean);
  const ends = known.flatMap((v) => [v.low, v.value, v.high].map(num)).filter(Number.isFinite);
  let low = Math.min(...ends), high = Math.max(...ends);
  if (!(high > low)) low -= 0.5, high += 0.5;
  const px = (v) => 12 + (num(v) - low) / (high - low) * 216, height = 16 * known.length + 6;
  let svg = `<svg width="240" height="${height}" role="img" aria-label="intervals of ${esc(score.title)}">`;
  known.forEach((v, row) => {
    const y = 11 + 16 * row;
    if (hasInterval(v)) svg += `<path class="curve r${v.style.colour}" d="M${px(v.low)} ${y}H${px(v.high)}M${px(v.low)} ${y - 4}v8M${px(v.high)} ${y - 4}v8"/>`;
    svg += marker(v.style, px(v.value), y);
  });
  return svg + "</svg>";
}

function hasInterval(score) {  // of one sentence there is none
  return Number.isFinite(num(score.low)) && Number.isFinite(num(score.high));
}

function overlaps(a, b) {
  return num(a.low) <= num(b.high) && num(b.low) <= num(a.high);
}

function scoreCell(value, first, isFirst) {
  if (!value) return `<td class="number same">–</td>`;
  let html = `<td class="number">${numberText(num(value.value))}`;
  if (hasInterval(value)) html += ` <span class="same">[${numberText(num(value.low))}, ${numberText(num(value.high))}]</span>`;
  if (value.checkpoint) html += `<br><span class="note">${esc(value.checkpoint)}</span>`;
  if (value.other_texts) html += `<br><span class="note">other prompts</span>`;
  else if (!isFirst && first && overlaps(value, first)) html += `<br><span class="note">overlaps the first</span>`;
  return html + "</td>";
}

function scoresTable(data) {
  if (!data.scores.length) return `<p class="note">No run has outputs with references to score.</p>`;
  let html = `<div class="wide"><table>${heads(data, "score").replace("</tr>", "<th></th></tr>")}<tbody>`;
  for (const score of data.scores) {
    const counts = [...new Set(score.values.filter(Boolean).map((v) => v.n))].join(", ");
    html += `<tr><th scope="row">${unitText(score)}<br><span class="note">${esc(score.source)}, n ${counts}</span></th>` +
      score.values.map((v, i) => scoreCell(v, score.values[0], i === 0)).join("") + `<td>${intervalSvg(score, data.runs.map((run) => run.style))}</td></tr>`;
  }
  const signatures = [...new Set(data.scores.flatMap((s) => s.values.filter(Boolean).map((v) => v.signature)))].filter(Boolean);
  return html + `</tbody></table></div><p class="note">Signatures: ${signatures.map((s) => `<code>${esc(s)}</code>`).join(" · ")}</p>`;
}

function caveatHtml(data) {
  const hashes = new Set(data.runs.map((run) => run.data_hash).filter(Boolean));
  return hashes.size > 1 ? `<p class="note">The runs were trained on different data: losses and scores are not comparable.</p>` : "";
}

function settingsTable(data) {
  const keys = [...new Set(data.runs.flatMap((run) => Object.keys(run.config)))].sort();
  const known = data.runs.filter((run) => Object.keys(run.config).length);
  const row = (key) => {
    const values = data.runs.map((run) => run.config[key]);
    return `<tr><th scope="row" class="mono">${esc(key)}</th>` + values.map((v, i) => v === undefined
      ? `<td class="same">–</td>`
      : `<td class="mono${i > 0 && v !== values[0] ? " differs" : i > 0 ? " same" : ""}">${esc(v)}</td>`).join("") + "</tr>";
  };
  const differing = keys.filter((key) => new Set(known.map((run) => run.config[key])).size > 1);
  const table = (list) => `<div class="wide"><table>${heads(data, "setting")}<tbody>${list.map(row).join("")}</tbody></table></div>`;
  if (!keys.length) return `<p class="note">No run has settings recorded.</p>`;
  const lead = known.length < 2 ? "" : differing.length ? table(differing)
    : `<p class="note">All settings are the same.</p>`;
  return lead + `<details${known.length < 2 ? " open" : ""}><summary>All ${keys.length} settings</summary>${table(keys)}</details>`;
}

// ---- fixed prompts

function sampleSteps(data) {
  return [...new Set(data.runs.flatMap((run) => run.samples.map((s) => s.step)))].sort((a, b) => a - b);
}

// The newest output of a run for a prompt, up to a step.
function outputAt(run, input, step) {
  return run.samples.filter((s) => s.input === input && s.step <= step).reduce((a, b) => (a && a.step > b.step ? a : b), null);
}

// Which of the steps the page begins with: the studio's, or the last.
function firstStep(data, steps) {
  const wanted = data.view && data.view.sample_step;
  return wanted === undefined || wanted === null ? steps.length - 1 : Math.max(0, steps.filter((step) => step <= wanted).length - 1);
}

function promptsHtml(data, step) {
  const against = data.runs.find((run) => data.view && run.id === data.view.against);
  const prompts = new Map();
  for (const run of data.runs)
    for (const s of run.samples) if (!prompts.has(s.input)) prompts.set(s.input, s.reference);
  let html = "";
  for (const [input, reference] of prompts) {
    html += `<div class="prompt"><dl><dt>prompt</dt><dd class="input">${esc(input)}</dd>`;
    if (reference) html += `<dt>reference</dt><dd>${esc(reference)}</dd>`;
    data.runs.forEach((run) => {
      const last = outputAt(run, input, step), other = against && outputAt(against, input, step);
      const truth = against ? (other && run !== against ? other.output : "") : reference;
      html += `<dt>${swatch(run.style)}${esc(run.name)}${last ? ` <span class="note">step ${countText(last.step)}</span>` : ""}</dt><dd>` +
        (!last ? `<span class="same">–</span>` : truth ? diffHtml(truth, last.output) : esc(last.output)) + "</dd>";
    });
    html += "</dl></div>";
  }
  return html;
}

// ---- the page

function section(id, title, body) {
  return `<section id="${id}"><h2>${title}</h2>${body}</section>`;
}

function reportHtml(data) {
  const makers = {
    runs: ["Runs", () => runsTable(data)],
    values: ["Final metrics", () => caveatHtml(data) + metricsTable(data) +
      `<p class="note">Last finite value of each curve, below it the best one; arrows: difference to the first run, coloured where one direction is better.</p>`],
    scores: ["Scores with 95 % CI", () => `<p class="note">95 % CI over sentences; overlapping intervals are weak evidence of a difference.</p>` + scoresTable(data) +
      (data.score_problems || []).map((text) => `<p class="note">${esc(text)}</p>`).join("")],
    fronts: ["Accuracy and diversity", () => frontsHtml(data)],
    curves: ["Curves", () => curvesHtml(data)],
    groups: ["Groups", () => groupsHtml(data)],
    settings: ["Settings that differ", () => settingsTable(data)],
    prompts: ["Fixed prompts", () => {
      const steps = sampleSteps(data);
      if (!steps.length) return `<p class="note">No run has outputs for fixed prompts.</p>`;
      const against = data.runs.find((run) => data.view && run.id === data.view.against), at = firstStep(data, steps);
      return `<p class="note">Word diff against ${against ? esc(against.name) : "the reference"}: additions <mark>marked</mark>, deletions <s>struck through</s>.</p>` +
        `<div class="controls"><label for="when">training step</label><input id="when" type="range" min="0" max="${steps.length - 1}" value="${at}">` +
        `<output id="at" class="mono"></output></div><div id="outputs">${promptsHtml(data, steps[at])}</div>`;
    }],
    studio: ["Open in the studio", () => data.runs.map((run) =>
      `<code class="block">kurve-studio ${esc(data.folder)} --workspace compare --run ${esc(run.id)}</code>`).join("")],
  };
  const shown = data.sections.filter((id) => makers[id] && (id !== "fronts" || (data.fronts || []).length) && (id !== "groups" || groupsOf(data).length));
  return `<header><h1>${esc(data.title)}</h1><p class="sub">${esc(data.project)} · written ${esc(data.written)} · Kurve ${esc(data.version)}</p></header>` +
    (shown.length > 2 ? `<nav>${shown.map((id) => `<a href="#${id}">${makers[id][0]}</a>`).join("")}</nav>` : "") +
    shown.map((id) => section(id, ...[makers[id][0], makers[id][1]()])).join("");
}

function wirePrompts(data) {
  const when = document.getElementById("when");
  if (!when) return;
  const steps = sampleSteps(data), show = () => {
    document.getElementById("at").textContent = countText(steps[when.value]);
    document.getElementById("outputs").innerHTML = promptsHtml(data, steps[when.value]);
  };
  when.addEventListener("input", show);
  show();
}

function start() {
  const data = pageData();
  document.querySelector("main").innerHTML = reportHtml(data);
  if (document.getElementById("axis")) wireCharts(data);
  wirePrompts(data);
}

if (typeof document !== "undefined") start();
