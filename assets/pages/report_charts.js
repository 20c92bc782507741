// The curves of a report.

const SMOOTH_FROM = 50;  // fewer points are shown as they are
const WIDTH = 640, HEIGHT = 300, LEFT = 58, RIGHT = 12, TOP = 10, BOTTOM = 30;

// The values of one curve at other steps: linear between its points, from 0 before the first.
function curveAt(run, id, steps) {
  const seen = run.curves[id];
  if (!seen || !seen.step.length) return null;
  const x = [0, ...seen.step], y = [0, ...seen.value.map(num)];
  let k = 1;
  return steps.map((step) => {
    while (k < x.length - 1 && x[k] < step) ++k;
    const span = x[k] - x[k - 1];
    return span > 0 ? y[k - 1] + (y[k] - y[k - 1]) * (step - x[k - 1]) / span : y[k];
  });
}

function tokensAt(run, steps) {
  return curveAt(run, "tokens_seen", steps);
}

// What curves can be laid along: id, name, and x of a curve's points or nothing.
const AXES = [
  ["step", "step", (run, curve) => curve.step],
  ["tokens", "target tokens seen", (run, curve) => tokensAt(run, curve.step)],
  ["epoch", "epoch", (run, curve) => curveAt(run, "epoch", curve.step)],
  ["examples", "training pairs seen", (run, curve) => curveAt(run, "examples_seen", curve.step)],
  ["flops", "FLOPs (6 × parameters × tokens)", (run, curve) => {
    const tokens = run.parameters ? tokensAt(run, curve.step) : null;
    return tokens && tokens.map((count) => 6 * run.parameters * count);
  }],
  ["seconds", "training time", (run, curve) => curve.seconds || null],
];

function axisValues(run, curve, axis) {
  return AXES.find(([id]) => id === axis)[2](run, curve);
}

// How values lie along an axis: linear, log, or symlog (both signs, linear about zero).
function scaleOf(kind, largest) {
  if (kind === "log") return { kind, position: Math.log10, value: (p) => 10 ** p, drawable: (v) => Number.isFinite(v) && v > 0 };
  if (kind === "symlog") {
    const unit = (largest || 1) / 1000;
    return { kind, position: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / unit), value: (p) => Math.sign(p) * (10 ** Math.abs(p) - 1) * unit,
      drawable: Number.isFinite };
  }
  return { kind: "linear", position: (v) => v, value: (p) => p, drawable: Number.isFinite };
}

function scaleTicks(low, high, count, kind) {
  if (kind !== "symlog") return ticks(low, high, count, kind === "log");
  const out = low <= 0 && high >= 0 ? [0] : [], top = Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high))));
  for (let e = top - 3; e <= top; ++e)
    for (const v of [10 ** e, -(10 ** e)]) if (v >= low && v <= high) out.push(v);
  return out.sort((a, b) => a - b);
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
function smoothed(x, y, weight, kind = "ema") {
  if (kind === "none") return y;
  if (kind === "median") return medians(x, y, weight);
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

// The median of the finite values in a window as wide as the studio's; one outlier leaves no trace.
function medians(x, y, weight) {
  const spacing = (x[x.length - 1] - x[0]) / Math.max(1, x.length - 1);
  if (!(weight > 0) || !(spacing > 0)) return y;
  const width = (medianPoints(weight) - 0.5) * spacing;
  let first = 0;
  return y.map((v, i) => {
    while (x[first] <= x[i] - width) ++first;
    if (!Number.isFinite(v)) return NaN;
    const list = y.slice(first, i + 1).filter(Number.isFinite).sort((a, b) => a - b), middle = list.length >> 1;
    return list.length % 2 ? list[middle] : (list[middle - 1] + list[middle]) / 2;
  });
}

function medianPoints(weight) {
  return weight > 0 ? Math.min(2 * Math.round(0.5 / Math.max(1 - weight, 1e-6)) + 1, 1001) : 1;
}

function smoothingName(kind, weight) {
  if (kind === "none" || !(weight > 0)) return "";
  return kind === "median" ? `median of ${medianPoints(weight)} points` : `EMA ${weight}`;
}

const SCALES = [["linear", "linear"], ["log", "log"], ["symlog", "±log"]];
const DASHES = ["", "6 4", "1.5 4", "8 3 1.5 3"];
// `style`: of a run, or of a group of them, by its numbers: colour, dash and shape, the studio's.
function runStyle(style) {
  const dash = DASHES[style.dash];
  return `class="curve r${style.colour}"` + (dash ? ` stroke-dasharray="${dash}"` : "");
}

function marker(style, x, y, size = 4) {
  const s = size, shapes = [
    `M${x - s} ${y}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    `M${x} ${y - s}l${s} ${s}l${-s} ${s}l${-s} ${-s}z`,
    `M${x} ${y - s}l${s} ${2 * s}h${-2 * s}z`,
    `M${x - s} ${y - s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`,
    `M${x - s} ${y}h${2 * s}M${x} ${y - s}v${2 * s}`];
  return `<path class="r${style.colour}" fill="var(--surface)" stroke-width="1.5" d="${shapes[style.shape]}"/>`;
}

function swatch(style) {
  return `<svg class="swatch" width="30" height="12" aria-hidden="true"><path ${runStyle(style)} d="M1 6h28"/>` +
    marker(style, 15, 6) + "</svg>";
}

// Every run's curve, but those that the studio had hidden.
function runCurves(data, metric, axis, weight, kind) {
  const hidden = (data.view && data.view.hidden) || [], curves = [];
  data.runs.forEach((run, index) => {
    const curve = run.curves[metric.id];
    const x = curve && axisValues(run, curve, axis);
    if (!x || !x.length || hidden.includes(run.id)) return;
    const y = curve.value.map(num);
    curves.push({ index, style: run.style, name: run.name, x, y, smooth: y.length >= SMOOTH_FROM ? smoothed(x, y, weight, kind) : y, of: curve.of || 0 });
  });
  return curves;
}

// One axis from its data's ends: manual limits take precedence, unless the axis cannot show them or nothing
// would be left between.
function limited(low, high, limits, scale) {
  const [from, to] = (limits || []).map((end) => (end !== null && scale.drawable(end) ? end : null));
  const ends = [from ?? low, to ?? high];
  return ends[0] < ends[1] ? ends : [low, high];
}

// The limits that the studio had: of x while the same quantity runs along it, of y for the metric that was shown.
function viewLimits(data, metric, axis) {
  const view = data.view || {};
  return { x: view.axis === axis ? view.x_limits : null, y: view.metric === metric.id ? view.y_limits : null };
}

function hasLimits(view) {
  return [...((view && view.x_limits) || []), ...((view && view.y_limits) || [])].some((end) => end !== null);
}

// The drawn curves of one metric and how to get from numbers to positions. `options`: grouped, x (its scale), kind (of smoothing),
// limits (of x and y).
function chartOf(data, metric, axis, log, weight = 0, options = {}) {
  const curves = options.grouped ? groupCurves(data, metric, axis, weight, options.kind) : runCurves(data, metric, axis, weight, options.kind);
  const all = (key) => curves.flatMap((curve) => Array.from(curve[key] || []));
  const largest = (list) => list.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
  const xs = scaleOf(options.x || "linear", largest(all("x"))), ys = scaleOf(log === true ? "log" : log || "linear", largest(all("y")));
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const curve of curves)
    curve.y.forEach((y, i) => {
      if (!xs.drawable(curve.x[i])) return;
      x0 = Math.min(x0, curve.x[i]), x1 = Math.max(x1, curve.x[i]);
      // An interval that reaches towards 0 would take up all of a log axis: there it ends at the lower edge.
      const low = curve.low && ys.kind === "log" ? Math.max(curve.low[i], y / 3) : curve.low && curve.low[i];
      for (const v of curve.low ? [y, low, curve.high[i]] : [y]) if (ys.drawable(v)) y0 = Math.min(y0, v), y1 = Math.max(y1, v);
    });
  if (x0 > x1) x0 = x1 = 1;
  if (!(x1 > x0)) x0 = xs.kind === "log" ? x0 / 2 : x0 - 0.5, x1 = xs.kind === "log" ? x1 * 2 : x1 + 0.5;
  if (y0 > y1) y0 = ys.kind === "log" ? 0.1 : 0, y1 = 1;
  if (y0 === y1) y0 = ys.kind === "log" ? y0 / 2 : y0 - (Math.abs(y0) || 1) / 2, y1 = ys.kind === "log" ? y1 * 2 : y1 + (Math.abs(y1) || 1) / 2;
  const limits = options.limits || {}, [xFrom, xTo] = limited(x0, x1, limits.x, xs), [yFrom, yTo] = limited(y0, y1, limits.y, ys);
  const cut = [xFrom !== x0, xTo !== x1, yFrom !== y0, yTo !== y1];
  x0 = xFrom, x1 = xTo, y0 = yFrom, y1 = yTo;
  // A manual limit is the very end of the axis.
  const low = ys.position(y0), high = ys.position(y1), margin = (high - low) * 0.04, left = xs.position(x0), right = xs.position(x1);
  const below = cut[2] ? 0 : margin, above = cut[3] ? 0 : margin;
  const px = (v) => LEFT + (xs.position(v) - left) / (right - left) * (WIDTH - LEFT - RIGHT);
  const py = (v) => HEIGHT - BOTTOM - (ys.position(v) - low + below) / (high - low + below + above) * (HEIGHT - TOP - BOTTOM);
  const xAt = (pixel) => xs.value(left + (pixel - LEFT) / (WIDTH - LEFT - RIGHT) * (right - left));
  for (const curve of curves) {  // points that x cannot show are not drawn
    if (xs.kind !== "log") break;
    const kept = curve.x.map((x, i) => i).filter((i) => xs.drawable(curve.x[i]));
    for (const key of ["x", "y", "smooth", "low", "high"]) if (curve[key]) curve[key] = kept.map((i) => curve[key][i]);
  }
  return { curves, drawable: ys.drawable, x0, x1, y0, y1, px, py, xAt, xScale: xs.kind, log: ys.kind, axis, grouped: !!options.grouped, cut: cut.includes(true) };
}

function axisText(value, axis) {
  if (axis !== "seconds") return value >= 1e6 ? numberText(value, 3) : countText(value);
  return value >= 600 ? numberText(value / 60, 3) + " min" : numberText(value, 3) + " s";
}

// Points that the axis cannot show stay visible: crosses where a value is not finite, ticks at the bottom where
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
  return path && `<path class="curve odd r${curve.style.colour}" d="${path}"/>`;
}

// Runs that have the curve but not what the axis counts.
function missingHtml(data, metric, chart) {
  const names = data.runs.filter((run, i) => run.curves[metric.id] && !chart.grouped && !((data.view && data.view.hidden) || []).includes(run.id) &&
    !chart.curves.some((c) => c.index === i)).map((run) => esc(run.name));
  return names.length ? `<p class="note">nothing to lay over ${AXES.find(([id]) => id === chart.axis)[1]} in ${names.join(", ")}</p>` : "";
}

function chartSvg(chart, title) {
  const right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
  let svg = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${esc(title)}">`;
  for (const v of scaleTicks(chart.y0, chart.y1, 5, chart.log)) {
    const y = chart.py(v);
    svg += `<path class="grid" d="M${LEFT} ${y}H${right}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">` +
      numberText(v, 3) + "</text>";
  }
  for (const v of scaleTicks(chart.x0, chart.x1, 6, chart.xScale).filter((t) => ["seconds", "epoch"].includes(chart.axis) || Number.isInteger(t)))
    svg += `<text x="${chart.px(v)}" y="${HEIGHT - 12}" text-anchor="${chart.px(v) > WIDTH - 40 ? "end" : "middle"}">${axisText(v, chart.axis)}</text>`;
  svg += `<path class="axis" d="M${LEFT} ${bottom}H${right}"/>`;
  const frame = [LEFT, TOP, right - LEFT, bottom - TOP];
  if (chart.cut)  // an inner picture shows nothing outside itself
    svg += `<svg x="${frame[0]}" y="${frame[1]}" width="${frame[2]}" height="${frame[3]}" viewBox="${frame.join(" ")}">`;
  for (const curve of chart.curves) if (curve.low) svg += bandPath(curve, chart);
  for (const curve of chart.curves) {
    const smooth = curve.smooth !== curve.y, path = linePath(curve.x, curve.y, chart.px, chart.py, chart.drawable);
    svg += `<path ${runStyle(curve.style)}${smooth ? ` opacity="0.28"` : ""} d="${path}"/>` + oddPoints(chart, curve);
  }
  // Above all raw points, so that the last run does not hide the others.
  for (const curve of chart.curves) {
    if (curve.smooth !== curve.y)
      svg += `<path ${runStyle(curve.style)} stroke-width="2" d="${linePath(curve.x, curve.smooth, chart.px, chart.py, chart.drawable)}"/>`;
    let end = curve.y.length - 1;
    while (end >= 0 && !chart.drawable(curve.smooth[end])) --end;
    if (end >= 0) svg += marker(curve.style, chart.px(curve.x[end]), chart.py(curve.smooth[end]));
  }
  return svg + (chart.cut ? "</svg>" : "") + `<path class="cursor" d=""/></svg>`;
}

// ---- their part of the page

function curvesHtml(data) {
  const has = (id) => data.runs.some((run) => Object.values(run.curves).some((curve) => {
    const x = axisValues(run, curve, id);
    return x && x.length;
  }));
  const axes = AXES.filter(([id]) => id === "step" || has(id));
  const view = data.view || {}, smoothing = view.smoothing || { kind: "ema", strength: 0.95 };
  const options = (list, chosen) => list.map(([id, text]) => `<option value="${id}"${id === chosen ? " selected" : ""}>${text}</option>`).join("");
  const groups = groupsOf(data);
  let html = `<div class="controls"><label>over <select id="axis">${options(axes, view.axis)}</select></label>` +
    `<label>x <select id="xscale">${options(SCALES, view.x)}</select></label>` +
    (groups.length ? `<label><input id="grouped" type="checkbox" checked> means by ${esc(view.grouped_by)}</label>` : "") +
    (hasLimits(view) ? `<label><input id="limits" type="checkbox" checked> studio limits</label>` : "") +
    `<label>smoothing <select id="smoother">${options([["ema", "average"], ["median", "median"], ["none", "none"]], smoothing.kind)}</select>` +
    ` <input id="smoothing" type="range" min="0" max="99" value="${Math.round(100 * smoothing.strength)}"></label></div>` +
    `<p class="note" id="how"></p><p>` +
    (groups.length ? groups.map((group) => `<span class="key">${swatch(group.style)}${esc(group.title)} (n ${group.runs.length})</span>`)
      : data.runs.map((run) => `<span class="key">${swatch(run.style)}${esc(labelOf(data, run))}${(view.hidden || []).includes(run.id) ? " (hidden)" : ""}</span>`)).join(" ") + "</p>";
  const most = Math.max(0, ...data.runs.flatMap((r) => Object.values(r.curves).map((c) => c.of || 0)));
  if (most) html += `<p class="note">Curves of up to ${countText(most)} points are drawn as minimum and maximum of each interval; kurve export --what scalars has every point.</p>`;
  html += `<div class="charts">`;
  const first = data.metrics.findIndex((metric) => metric.id === view.metric), order = data.metrics.map((metric, i) => i);
  if (first > 0) order.unshift(...order.splice(first, 1));
  for (const i of order) {
    const metric = data.metrics[i], scale = i === first ? view.y : metric.log_scale ? "log" : "linear";
    // A single point is a value, and the table has it.
    if (!data.runs.some((run) => run.curves[metric.id] && run.curves[metric.id].value.length > 1)) continue;
    html += `<div class="chart" data-metric="${i}"><h3><span title="${esc(metric.doc)}">${unitText(metric)}</span>` +
      `<label>y <select>${options(SCALES, scale)}</select></label></h3><div class="plot"></div></div>`;
  }
  return html + "</div>";
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
  const byId = (id) => document.getElementById(id);
  const axis = byId("axis"), smoothing = byId("smoothing"), smoother = byId("smoother"), xscale = byId("xscale"), grouped = byId("grouped"),
    limits = byId("limits");
  const chartOptions = () => ({ grouped: !!grouped && grouped.checked, x: xscale.value, kind: smoother.value });
  const tell = () => {
    byId("how").textContent = howText(data, AXES.find(([id]) => id === axis.value)[1], chartOptions(), Number(smoothing.value) / 100);
  };
  for (const control of [axis, smoothing, smoother, xscale, grouped]) if (control) control.addEventListener("input", tell);
  tell();
  for (const box of document.querySelectorAll(".chart[data-metric]")) {
    const metric = data.metrics[Number(box.dataset.metric)], log = box.querySelector("select"), plot = box.querySelector(".plot");
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    box.append(tip);
    let chart;
    const draw = () => {
      const options = chartOptions();
      if (limits && limits.checked) options.limits = viewLimits(data, metric, axis.value);
      chart = chartOf(data, metric, axis.value, log.value, Number(smoothing.value) / 100, options);
      plot.innerHTML = chartSvg(chart, metric.title) + missingHtml(data, metric, chart);
    };
    log.addEventListener("change", draw);
    axis.addEventListener("change", draw);
    for (const control of [smoothing, smoother, xscale, grouped, limits]) if (control) control.addEventListener("input", draw);
    plot.addEventListener("mouseleave", () => {
      tip.hidden = true;
      plot.querySelector(".cursor").setAttribute("d", "");
    });
    plot.addEventListener("mousemove", (event) => {
      const frame = plot.getBoundingClientRect(), at = (event.clientX - frame.left) / frame.width * WIDTH;
      const value = chart.xAt(at);
      const x = Math.min(Math.max(at, LEFT), WIDTH - RIGHT);
      plot.querySelector(".cursor").setAttribute("d", `M${x} ${TOP}V${HEIGHT - BOTTOM}`);
      tip.innerHTML = chart.curves.map((curve) => {
        const i = nearest(curve.x, value);
        return `${swatch(curve.style)}${esc(curve.name)} <b>${numberText(curve.y[i], 5)}</b>${curve.low && Number.isFinite(curve.low[i]) ? ` [${numberText(curve.low[i])}, ${numberText(curve.high[i])}]` : ""} at ${axisText(curve.x[i], chart.axis)}`;
      }).join("<br>");
      tip.hidden = false;
      const room = box.clientWidth - tip.offsetWidth - 8;
      tip.style.left = Math.max(4, Math.min(event.clientX - box.getBoundingClientRect().left + 14, room)) + "px";
      tip.style.top = event.clientY - box.getBoundingClientRect().top + 14 + "px";
    });
    draw();
  }
}
