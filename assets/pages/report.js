// A comparison of runs. Everything is made of texts by functions of the data; start() puts them into the page.

const SMOOTH_FROM = 50;  // fewer points are shown as they are
const WIDTH = 640, HEIGHT = 300, LEFT = 58, RIGHT = 12, TOP = 10, BOTTOM = 30;

// ---- charts

function tokensAt(run, steps) {
  const seen = run.curves.tokens_seen;
  if (!seen || !seen.step.length) return null;
  const x = [0, ...seen.step], y = [0, ...seen.value.map(num)];
  let k = 1;
  return steps.map((step) => {
    while (k < x.length - 1 && x[k] < step) ++k;
    const span = x[k] - x[k - 1];
    return span > 0 ? y[k - 1] + (y[k] - y[k - 1]) * (step - x[k - 1]) / span : y[k];
  });
}

function axisValues(run, curve, axis) {
  return axis === "seconds" ? curve.seconds || null : axis === "tokens" ? tokensAt(run, curve.step) : curve.step;
}

// At most `count` round numbers within [low, high]; on a log axis powers of ten, and 2 and 5 where there is room.
function ticks(low, high, count, log) {
  const out = [];
  if (log) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const every = Math.max(1, Math.ceil((last - first) / count));
    const factors = last - first <= 2 ? [1, 2, 5] : [1];
    for (let e = first; e <= last; e += every)
      for (const f of factors) if (f * 10 ** e >= low * 0.999 && f * 10 ** e <= high * 1.001) out.push(f * 10 ** e);
    if (out.length > 1) return out;
    out.length = 0;
  }
  const raw = (high - low) / count, unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= raw * 0.999);
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) out.push(Number((i * step).toPrecision(12)));
  return out;
}

// Joins first, lowest, highest and last point of each half pixel, so that no extreme is lost; what cannot be drawn
// (not finite, or not positive on a log axis) breaks the line.
function linePath(x, y, px, py, drawable) {
  let path = "", column = null, pen = false;
  const r = (v) => Math.round(v * 100) / 100;
  const flush = () => {
    if (!column) return;
    const ys = [column.first, column.min, column.max, column.last].map((v) => r(py(v)));
    path += (pen ? "L" : "M") + r(column.x) + " " + ys[0];
    if (!pen) path += "h0";
    for (let i = 1; i < 4; ++i) if (ys[i] !== ys[i - 1]) path += "V" + ys[i];
    pen = true;
    column = null;
  };
  for (let i = 0; i < y.length; ++i) {
    if (!drawable(y[i])) {
      flush();
      pen = false;
      continue;
    }
    const at = px(x[i]), key = Math.floor(at * 2);
    if (column && column.key === key) {
      column.min = Math.min(column.min, y[i]);
      column.max = Math.max(column.max, y[i]);
      column.last = y[i];
    } else {
      flush();
      column = { key, x: at, first: y[i], min: y[i], max: y[i], last: y[i] };
    }
  }
  flush();
  return path;
}

// The moving average of the studio: debiased, so that a constant stays what it is; `weight` is what a point leaves to
// the next one at their mean distance.
function smoothed(x, y, weight) {
  const spacing = (x[x.length - 1] - x[0]) / Math.max(1, x.length - 1);
  if (!(weight > 0) || !(spacing > 0)) return y;
  const halfLife = -spacing / Math.log2(weight);
  let mean = 0, total = 0, last = 0;
  return y.map((v, i) => {
    if (!Number.isFinite(v)) return NaN;
    total = total * (total > 0 ? 2 ** (-Math.max(x[i] - last, 0) / halfLife) : 0) + 1;
    mean += (v - mean) / total;
    last = x[i];
    return mean;
  });
}

const DASHES = ["", "6 4", "1.5 4", "8 3 1.5 3"];
function runLook(index) {
  const dash = DASHES[Math.floor(index / 6) % DASHES.length];
  return `class="curve r${index % 6}"` + (dash ? ` stroke-dasharray="${dash}"` : "");
}

// A shape for each colour, so that no run is told by colour alone.
function marker(index, x, y, size = 4) {
  const s = size, shapes = [
    `M${x - s} ${y}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    `M${x} ${y - s}l${s} ${2 * s}h${-2 * s}z`,
    `M${x} ${y - s}l${s} ${s}l${-s} ${s}l${-s} ${-s}z`,
    `M${x} ${y + s}l${s} ${-2 * s}h${-2 * s}z`,
    `M${x - s} ${y}h${2 * s}M${x} ${y - s}v${2 * s}`];
  return `<path class="r${index % 6}" fill="var(--surface)" stroke-width="1.5" d="${shapes[index % 6]}"/>`;
}

function swatch(index) {
  return `<svg class="swatch" width="30" height="12" aria-hidden="true"><path ${runLook(index)} d="M1 6h28"/>` +
    marker(index, 15, 6) + "</svg>";
}

// The drawn curves of one metric and how to get from numbers to places.
function chartOf(data, metric, axis, log, weight = 0) {
  const curves = [];
  data.runs.forEach((run, index) => {
    const curve = run.curves[metric.id];
    const x = curve && axisValues(run, curve, axis);
    if (!x || !x.length) return;
    const y = curve.value.map(num);
    curves.push({ index, name: run.name, x, y, smooth: y.length >= SMOOTH_FROM ? smoothed(x, y, weight) : y, of: curve.of || 0 });
  });
  const drawable = log ? (v) => Number.isFinite(v) && v > 0 : Number.isFinite;
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const curve of curves)
    curve.y.forEach((y, i) => {
      x0 = Math.min(x0, curve.x[i]), x1 = Math.max(x1, curve.x[i]);
      if (drawable(y)) y0 = Math.min(y0, y), y1 = Math.max(y1, y);
    });
  if (!(x1 > x0)) x0 -= 0.5, x1 += 0.5;
  if (y0 > y1) y0 = log ? 0.1 : 0, y1 = 1;
  if (y0 === y1) y0 = log ? y0 / 2 : y0 - (Math.abs(y0) || 1) / 2, y1 = log ? y1 * 2 : y1 + (Math.abs(y1) || 1) / 2;
  const place = log ? Math.log10 : (v) => v;
  const low = place(y0), high = place(y1), margin = (high - low) * 0.04;
  const px = (v) => LEFT + (v - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
  const py = (v) => HEIGHT - BOTTOM - (place(v) - low + margin) / (high - low + 2 * margin) * (HEIGHT - TOP - BOTTOM);
  return { curves, drawable, x0, x1, y0, y1, px, py, log, axis };
}

function axisText(value, axis) {
  if (axis !== "seconds") return value >= 1e6 ? numberText(value, 3) : countText(value);
  return value >= 600 ? numberText(value / 60, 3) + " min" : numberText(value, 3) + " s";
}

// Points that have no place on the axis stay visible: crosses where a value is not finite, ticks at the bottom where
// it is not positive on a log axis.
function oddPoints(chart, curve) {
  let path = "", height = HEIGHT - BOTTOM, last = -9;
  curve.y.forEach((y, i) => {
    if (chart.drawable(y)) {
      height = chart.py(y);
      return;
    }
    const x = Math.round(chart.px(curve.x[i]));
    if (x === last) return;
    last = x;
    path += Number.isFinite(y) ? `M${x} ${HEIGHT - BOTTOM}v-6`
      : `M${x - 3} ${Math.round(height) - 3}l6 6m0 -6l-6 6`;
  });
  return path && `<path class="curve odd r${curve.index % 6}" d="${path}"/>`;
}

// Runs that have the curve but not what the axis counts.
function missingHtml(data, metric, chart) {
  const names = data.runs.filter((run, i) => run.curves[metric.id] && !chart.curves.some((c) => c.index === i)).map((run) => esc(run.name));
  return names.length ? `<p class="note">no ${chart.axis === "tokens" ? "count of tokens" : "times"} in ${names.join(", ")}</p>` : "";
}

function chartSvg(chart, title) {
  const right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
  let svg = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${esc(title)}">`;
  for (const v of ticks(chart.y0, chart.y1, 5, chart.log)) {
    const y = chart.py(v);
    svg += `<path class="grid" d="M${LEFT} ${y}H${right}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">` +
      numberText(v, 3) + "</text>";
  }
  for (const v of ticks(chart.x0, chart.x1, 6, false).filter((t) => chart.axis === "seconds" || Number.isInteger(t)))
    svg += `<text x="${chart.px(v)}" y="${HEIGHT - 12}" text-anchor="${chart.px(v) > WIDTH - 40 ? "end" : "middle"}">${axisText(v, chart.axis)}</text>`;
  svg += `<path class="axis" d="M${LEFT} ${bottom}H${right}"/>`;
  for (const curve of chart.curves) {
    const smooth = curve.smooth !== curve.y, path = linePath(curve.x, curve.y, chart.px, chart.py, chart.drawable);
    svg += `<path ${runLook(curve.index)}${smooth ? ` opacity="0.28"` : ""} d="${path}"/>` + oddPoints(chart, curve);
  }
  // Above all raw points, so that the last run does not hide the others.
  for (const curve of chart.curves) {
    if (curve.smooth !== curve.y)
      svg += `<path ${runLook(curve.index)} stroke-width="2" d="${linePath(curve.x, curve.smooth, chart.px, chart.py, chart.drawable)}"/>`;
    let end = curve.y.length - 1;
    while (end >= 0 && !chart.drawable(curve.smooth[end])) --end;
    if (end >= 0) svg += marker(curve.index, chart.px(curve.x[end]), chart.py(curve.smooth[end]));
  }
  return svg + `<path class="cursor" d=""/></svg>`;
}

// ---- tables

function heads(data, first) {
  return `<thead><tr><th scope="col">${esc(first)}</th>` +
    data.runs.map((run, i) => `<th scope="col">${swatch(i)}${esc(run.name)}</th>`).join("") + "</tr></thead>";
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
function deltaCell(value, first, isFirst, metric) {
  if (value === undefined) return `<td class="number same">–</td>`;
  const text = numberText(value, 5);
  const delta = value - first;
  if (isFirst || first === undefined || !Number.isFinite(delta)) return `<td class="number">${text}</td>`;
  if (delta === 0) return `<td class="number">${text} <span class="same">=</span></td>`;
  const look = !metric.ranked ? "same" : (delta > 0) === metric.higher_is_better ? "good" : "bad";
  return `<td class="number">${text} <span class="${look}">${delta > 0 ? "▲" : "▼"} ${numberText(Math.abs(delta), 3)}</span></td>`;
}

function unitText(metric) {
  return esc(metric.title) + (metric.unit ? ` <span class="note">/ ${esc(metric.unit)}</span>` : "");
}

function metricsTable(data) {
  let html = `<div class="wide"><table>${heads(data, "last value")}<tbody>`;
  for (const metric of data.metrics) {
    const values = data.runs.map((run) => run.last[metric.id] === undefined ? undefined : num(run.last[metric.id]));
    html += `<tr><th scope="row" title="${esc(metric.doc)}">${unitText(metric)}</th>` +
      values.map((v, i) => deltaCell(v, values[0], i === 0, metric)).join("") + "</tr>";
  }
  return html + "</tbody></table></div>";
}

function intervalSvg(score) {
  const known = score.values.map((v, index) => v && { index, ...v }).filter(Boolean);
  let low = Math.min(...known.map((v) => num(v.low))), high = Math.max(...known.map((v) => num(v.high)));
  if (!(high > low)) low -= 0.5, high += 0.5;
  const px = (v) => 12 + (num(v) - low) / (high - low) * 216, height = 16 * known.length + 6;
  let svg = `<svg width="240" height="${height}" role="img" aria-label="intervals of ${esc(score.title)}">`;
  known.forEach((v, row) => {
    const y = 11 + 16 * row;
    svg += `<path class="curve r${v.index % 6}" d="M${px(v.low)} ${y}H${px(v.high)}M${px(v.low)} ${y - 4}v8M${px(v.high)} ${y - 4}v8"/>`;
    svg += marker(v.index, px(v.value), y);
  });
  return svg + "</svg>";
}

function overlaps(a, b) {
  return num(a.low) <= num(b.high) && num(b.low) <= num(a.high);
}

function scoreCell(value, first, isFirst) {
  if (!value) return `<td class="number same">–</td>`;
  let html = `<td class="number">${numberText(num(value.value))} <span class="same">[${numberText(num(value.low))}, ${numberText(num(value.high))}]</span>`;
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
      score.values.map((v, i) => scoreCell(v, score.values[0], i === 0)).join("") + `<td>${intervalSvg(score)}</td></tr>`;
  }
  const signatures = [...new Set(data.scores.flatMap((s) => s.values.filter(Boolean).map((v) => v.signature)))].filter(Boolean);
  return html + `</tbody></table></div><p class="note">Signatures: ${signatures.map((s) => `<code>${esc(s)}</code>`).join(" · ")}</p>`;
}

function caveatHtml(data) {
  const hashes = new Set(data.runs.map((run) => run.data_hash).filter(Boolean));
  return hashes.size > 1 ? `<p class="note">The runs were trained on different data: their losses and scores do not measure the same.</p>` : "";
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

// ---- accuracy against diversity

const PLANE_HEIGHT = 400;

function curveTitle(data, curve) {
  return esc(data.runs[curve.run].name) + (curve.alone ? "" : ` @ ${countText(curve.step)}`);
}

// From numbers to places, with room for every interval and for the references.
function planeScale(plane) {
  const dots = plane.curves.flatMap((c) => c.dots.map((d) => ({ x: num(d.x), y: num(d.y), dx: num(d.dx), dy: num(d.dy) })));
  const xs = dots.flatMap((d) => [d.x - d.dx, d.x + d.dx]), ys = dots.flatMap((d) => [d.y - d.dy, d.y + d.dy]);
  if (plane.reference !== undefined) xs.push(num(plane.reference));
  const span = (list) => {
    const finite = list.filter(Number.isFinite), low = Math.min(...finite), high = Math.max(...finite);
    const margin = (high - low) * 0.05 || Math.abs(high) * 0.05 || 0.5;
    return [low - margin, high + margin];
  };
  const [x0, x1] = span(xs), [y0, y1] = span(ys);
  return { x0, x1, y0, y1, px: (v) => LEFT + (v - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT),
    py: (v) => PLANE_HEIGHT - BOTTOM - 14 - (v - y0) / (y1 - y0) * (PLANE_HEIGHT - TOP - BOTTOM - 14) };
}

function ellipsePath(e, s) {
  const [x, y, major, minor, angle] = e, points = [];
  for (let i = 0; i <= 48; ++i) {
    const t = i / 48 * 2 * Math.PI, a = major * Math.cos(t), b = minor * Math.sin(t);
    points.push(`${s.px(x + a * Math.cos(angle) - b * Math.sin(angle)).toFixed(1)} ${s.py(y + a * Math.sin(angle) + b * Math.cos(angle)).toFixed(1)}`);
  }
  return "M" + points.join("L") + "z";
}

function planeAxes(plane, s) {
  const right = WIDTH - RIGHT, bottom = s.py(s.y0);
  let svg = "";
  for (const v of ticks(s.y0, s.y1, 6, false))
    svg += `<path class="grid" d="M${LEFT} ${s.py(v)}H${right}"/><text x="${LEFT - 6}" y="${s.py(v) + 4}" text-anchor="end">${numberText(v, 3)}</text>`;
  for (const v of ticks(s.x0, s.x1, 7, false))
    svg += `<path class="grid" d="M${s.px(v)} ${TOP}V${bottom}"/><text x="${s.px(v)}" y="${bottom + 15}" text-anchor="middle">${numberText(v, 3)}</text>`;
  svg += `<path class="axis" fill="none" d="M${LEFT} ${TOP}V${bottom}H${right}"/>`;
  svg += `<text x="${right}" y="${PLANE_HEIGHT - 6}" text-anchor="end">${esc(plane.diversity.title)} →</text>`;
  return svg + `<text x="${LEFT + 6}" y="${TOP + 10}">↑ ${esc(plane.quality.title)}</text>`;
}

function planeReference(plane, s) {
  if (plane.reference === undefined) return "";
  const bottom = s.py(s.y0), edge = s.px(Math.max(s.x0, 0.9 * num(plane.reference)));
  let hatch = "";
  for (let x = LEFT; x < edge; x += 8) hatch += `M${x} ${bottom}L${Math.min(edge, x + 24)} ${bottom - 24 * (Math.min(edge, x + 24) - x) / 24}`;
  const at = s.px(num(plane.reference));
  return `<path class="grid" fill="none" d="${hatch}M${edge} ${TOP}V${bottom}"/><path class="cursor" fill="none" stroke-dasharray="5 4" d="M${at} ${TOP}V${bottom}"/>` +
    `<text x="${at - 5}" y="${TOP + 10}" text-anchor="end">references</text>`;
}

function planeSvg(data, plane) {
  const s = planeScale(plane), r = (v) => Math.round(v * 10) / 10;
  let svg = `<svg viewBox="0 0 ${WIDTH} ${PLANE_HEIGHT}" role="img" aria-label="${esc(plane.quality.title)} against ${esc(plane.diversity.title)}">` +
    planeAxes(plane, s) + planeReference(plane, s);
  for (const curve of plane.curves) {
    const at = (i) => `${r(s.px(num(curve.dots[i].x)))} ${r(s.py(num(curve.dots[i].y)))}`;
    for (const dot of curve.dots)
      if (dot.ellipse) svg += `<path ${runLook(curve.run)} opacity="0.35" d="${ellipsePath(dot.ellipse, s)}"/>`;
    svg += `<path ${runLook(curve.run)} stroke-width="2" d="M${curve.front.map(at).join("L")}"/>`;
    curve.dots.forEach((dot, i) => {
      const x = num(dot.x), y = num(dot.y), dx = num(dot.dx), dy = num(dot.dy);
      svg += `<g${curve.front.includes(i) ? "" : ` opacity="0.55"`}><title>${curveTitle(data, curve)}: ${esc(dot.settings)}</title>` +
        `<path class="curve r${curve.run % 6}" stroke-width="1" opacity="0.6" d="M${r(s.px(x - dx))} ${r(s.py(y))}H${r(s.px(x + dx))}M${r(s.px(x))} ${r(s.py(y - dy))}V${r(s.py(y + dy))}"/>` +
        marker(curve.run, r(s.px(x)), r(s.py(y))) + "</g>";
    });
  }
  return svg + "</svg>";
}

function withHalf(value, half) {
  return `${numberText(num(value))} <span class="same">± ${numberText(num(half), 2)}</span>`;
}

function planeTables(data, plane) {
  let html = `<div class="wide"><table><thead><tr><th>front of</th><th>points</th><th>on the front</th><th>hypervolume</th><th>diversity − references</th></tr></thead><tbody>`;
  for (const curve of plane.curves)
    html += `<tr><th scope="row">${swatch(curve.run)}${curveTitle(data, curve)}</th><td class="number">${curve.dots.length}</td><td class="number">${curve.front.length}</td>` +
      `<td class="number">${numberText(num(curve.hypervolume))}</td><td class="number">${curve.from_reference === undefined ? "–" : numberText(num(curve.from_reference), 3)}</td></tr>`;
  html += `</tbody></table></div><details open><summary>Every point of the fronts</summary><div class="wide"><table><thead><tr><th>run</th><th>sampler</th>` +
    `<th>${unitText(plane.quality)}</th><th>${unitText(plane.diversity)}</th><th>ms a text</th></tr></thead><tbody>`;
  for (const curve of plane.curves)
    for (const i of curve.front) {
      const dot = curve.dots[i];
      html += `<tr><th scope="row">${swatch(curve.run)}${curveTitle(data, curve)}</th><td>${esc(dot.settings)}</td><td class="number">${withHalf(dot.y, dot.dy)}</td>` +
        `<td class="number">${withHalf(dot.x, dot.dx)}</td><td class="number">${dot.milliseconds === undefined ? "–" : numberText(num(dot.milliseconds), 3)}</td></tr>`;
    }
  return html + "</tbody></table></div></details>";
}

function frontsHtml(data) {
  return data.fronts.map((plane) => `<h3>${esc(plane.quality.title)} against ${esc(plane.diversity.title)}</h3><div class="chart plane">${planeSvg(data, plane)}</div>` +
    plane.notes.map((note) => `<p class="note">${esc(note)}</p>`).join("") +
    `<p class="note">Hypervolume: the area under a front above the worst of all dots, ${esc(plane.diversity.title)} ${numberText(num(plane.corner[0]), 3)} and ${esc(plane.quality.title)} ${numberText(num(plane.corner[1]), 3)}.</p>` +
    planeTables(data, plane)).join("");
}

// ---- fixed prompts

function sampleSteps(data) {
  return [...new Set(data.runs.flatMap((run) => run.samples.map((s) => s.step)))].sort((a, b) => a - b);
}

function promptsHtml(data, step) {
  const prompts = new Map();
  for (const run of data.runs)
    for (const s of run.samples) if (!prompts.has(s.input)) prompts.set(s.input, s.reference);
  let html = "";
  for (const [input, reference] of prompts) {
    html += `<div class="prompt"><dl><dt>prompt</dt><dd class="input">${esc(input)}</dd>`;
    if (reference) html += `<dt>reference</dt><dd>${esc(reference)}</dd>`;
    data.runs.forEach((run, i) => {
      const made = run.samples.filter((s) => s.input === input && s.step <= step);
      const last = made.reduce((a, b) => (a && a.step > b.step ? a : b), null);
      html += `<dt>${swatch(i)}${esc(run.name)}${last ? ` <span class="note">step ${countText(last.step)}</span>` : ""}</dt><dd>` +
        (!last ? `<span class="same">–</span>` : reference ? diffHtml(reference, last.output) : esc(last.output)) + "</dd>";
    });
    html += "</dl></div>";
  }
  return html;
}

// ---- the page

function section(id, title, body) {
  return `<section id="${id}"><h2>${title}</h2>${body}</section>`;
}

function curvesHtml(data) {
  const axes = [["step", "step"]];
  if (data.runs.some((r) => r.curves.tokens_seen)) axes.push(["tokens", "target tokens seen"]);
  if (data.runs.some((r) => Object.values(r.curves).some((c) => c.seconds))) axes.push(["seconds", "training time without pauses"]);
  let html = `<div class="controls"><label>over <select id="axis">` +
    axes.map(([id, text]) => `<option value="${id}">${text}</option>`).join("") + "</select></label>" +
    `<label>smoothing <input id="smoothing" type="range" min="0" max="99" value="95"></label>` +
    data.runs.map((run, i) => `<span>${swatch(i)}${esc(run.name)}</span>`).join("") + "</div>";
  const most = Math.max(0, ...data.runs.flatMap((r) => Object.values(r.curves).map((c) => c.of || 0)));
  if (most) html += `<p class="note">Curves of up to ${countText(most)} points are drawn from the lowest and highest of each stretch; kurve export --what scalars has every point.</p>`;
  html += `<div class="charts">`;
  data.metrics.forEach((metric, i) => {
    // A single point is a value, and the table has it.
    if (!data.runs.some((run) => run.curves[metric.id] && run.curves[metric.id].value.length > 1)) return;
    html += `<div class="chart" data-metric="${i}"><h3><span title="${esc(metric.doc)}">${unitText(metric)}</span>` +
      `<label><input type="checkbox"${metric.log_scale ? " checked" : ""}> log</label></h3><div class="plot"></div></div>`;
  });
  return html + "</div>";
}

function reportHtml(data) {
  const makers = {
    runs: ["Runs", () => runsTable(data)],
    values: ["Where they ended", () => caveatHtml(data) + metricsTable(data) +
      `<p class="note">Last finite value of each curve; the arrows tell the distance to the first run, colour where one direction is better.</p>`],
    scores: ["Scores with intervals", () => `<p class="note">95 % intervals over sentences. Two that overlap say little.</p>` + scoresTable(data) +
      (data.score_problems || []).map((text) => `<p class="note">${esc(text)}</p>`).join("")],
    fronts: ["Accuracy and diversity", () => frontsHtml(data)],
    curves: ["Curves", () => curvesHtml(data)],
    settings: ["Settings that differ", () => settingsTable(data)],
    prompts: ["The same prompts", () => {
      const steps = sampleSteps(data);
      if (!steps.length) return `<p class="note">No run has outputs for fixed prompts.</p>`;
      return `<p class="note">Words that the reference does not have are <mark>marked</mark>, missing ones <s>struck through</s>.</p>` +
        `<div class="controls"><label for="when">training step</label><input id="when" type="range" min="0" max="${steps.length - 1}" value="${steps.length - 1}">` +
        `<output id="at" class="mono"></output></div><div id="outputs">${promptsHtml(data, steps[steps.length - 1])}</div>`;
    }],
    studio: ["Open in the studio", () => data.runs.map((run) =>
      `<code class="block">kurve-studio ${esc(data.folder)} --workspace compare --run ${esc(run.id)}</code>`).join("")],
  };
  const shown = data.sections.filter((id) => makers[id] && (id !== "fronts" || (data.fronts || []).length));
  return `<header><h1>${esc(data.title)}</h1><p class="sub">${esc(data.project)} · written ${esc(data.written)} · Kurve ${esc(data.version)}</p></header>` +
    (shown.length > 2 ? `<nav>${shown.map((id) => `<a href="#${id}">${makers[id][0]}</a>`).join("")}</nav>` : "") +
    shown.map((id) => section(id, ...[makers[id][0], makers[id][1]()])).join("");
}

// Nearest point of a rising list.
function nearest(x, value) {
  let low = 0, high = x.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - x[low - 1] < x[low] - value ? low - 1 : low;
}

function wireCharts(data) {
  const axis = document.getElementById("axis"), smoothing = document.getElementById("smoothing");
  for (const box of document.querySelectorAll(".chart")) {
    const metric = data.metrics[Number(box.dataset.metric)], log = box.querySelector("input"), plot = box.querySelector(".plot");
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    box.append(tip);
    let chart;
    const draw = () => {
      chart = chartOf(data, metric, axis.value, log.checked, Number(smoothing.value) / 100);
      plot.innerHTML = chartSvg(chart, metric.title) + missingHtml(data, metric, chart);
    };
    log.addEventListener("change", draw);
    axis.addEventListener("change", draw);
    smoothing.addEventListener("input", draw);
    plot.addEventListener("mouseleave", () => {
      tip.hidden = true;
      plot.querySelector(".cursor").setAttribute("d", "");
    });
    plot.addEventListener("mousemove", (event) => {
      const frame = plot.getBoundingClientRect(), at = (event.clientX - frame.left) / frame.width * WIDTH;
      const value = chart.x0 + (at - LEFT) / (WIDTH - LEFT - RIGHT) * (chart.x1 - chart.x0);
      const x = Math.min(Math.max(at, LEFT), WIDTH - RIGHT);
      plot.querySelector(".cursor").setAttribute("d", `M${x} ${TOP}V${HEIGHT - BOTTOM}`);
      tip.innerHTML = chart.curves.map((curve) => {
        const i = nearest(curve.x, value);
        return `${swatch(curve.index)}${esc(curve.name)} <b>${numberText(curve.y[i], 5)}</b> at ${axisText(curve.x[i], chart.axis)}`;
      }).join("<br>");
      tip.hidden = false;
      const room = box.clientWidth - tip.offsetWidth - 8;
      tip.style.left = Math.max(4, Math.min(event.clientX - box.getBoundingClientRect().left + 14, room)) + "px";
      tip.style.top = event.clientY - box.getBoundingClientRect().top + 14 + "px";
    });
    draw();
  }
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
