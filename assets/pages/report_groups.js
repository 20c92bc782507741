// Groups of runs in a report, as the studio compared them: means with bands, and the table that the program computed.

function groupsOf(data) {
  return (data.view && data.view.groups) || [];
}

// y at each x of `grid`, linear between points; nothing outside of them and beside a point that is not finite.
function resampled(x, y, grid) {
  let k = 0;
  return grid.map((at) => {
    if (!x.length || at < x[0] || at > x[x.length - 1]) return NaN;
    while (k < x.length - 1 && x[k + 1] < at) ++k;
    if (x[k] === at) return y[k];
    if (k === x.length - 1) return NaN;
    return x[k + 1] === at ? y[k + 1] : y[k] + (y[k + 1] - y[k]) * (at - x[k]) / (x[k + 1] - x[k]);
  });
}

// Mean of the members {x, y} at each x of theirs, with the 95 % interval of Student's t or the lowest and highest.
function meanBand(members, quantiles, range, most = 4000) {
  let grid = [...new Set(members.flatMap((member) => Array.from(member.x)))].sort((a, b) => a - b);
  if (grid.length > most) {
    const first = grid[0], step = (grid[grid.length - 1] - first) / (most - 1);
    grid = Array.from({ length: most }, (_, i) => first + step * i);
  }
  const values = members.map((member) => resampled(member.x, member.y, grid)), band = { x: [], y: [], low: [], high: [] };
  grid.forEach((x, i) => {
    const known = values.map((list) => list[i]).filter(Number.isFinite), n = known.length;
    if (!n) return;
    const mean = known.reduce((a, b) => a + b, 0) / n;
    const half = n < 2 ? NaN : quantiles[n - 1] * Math.sqrt(known.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1) / n);
    band.x.push(x), band.y.push(mean);
    band.low.push(n < 2 ? NaN : range ? Math.min(...known) : mean - half);
    band.high.push(n < 2 ? NaN : range ? Math.max(...known) : mean + half);
  });
  return band;
}

// One curve for each group; members are smoothed before their mean, hidden ones are members too.
function groupCurves(data, metric, axis, weight, kind) {
  const curves = [];
  groupsOf(data).forEach((group, index) => {
    const members = [];
    for (const run of data.runs) {
      const curve = group.runs.includes(run.id) && run.curves[metric.id], x = curve && axisValues(run, curve, axis);
      if (!x || !x.length) continue;
      const y = curve.value.map(num);
      members.push({ x, y: y.length >= SMOOTH_FROM ? smoothed(x, y, weight, kind) : y });
    }
    if (!members.length) return;
    const band = meanBand(members, data.view.quantiles.map(num), data.view.band === "range");
    curves.push({ index, style: group.style, name: `${group.title} (n ${members.length})`, ...band, smooth: band.y, of: 0 });
  });
  return curves;
}

function bandPath(curve, chart) {
  let path = "", up = [], down = [];
  const flush = () => {
    if (up.length > 1) path += "M" + up.join("L") + "L" + down.reverse().join("L") + "z";
    up = [], down = [];
  };
  curve.x.forEach((x, i) => {
    if (!Number.isFinite(curve.low[i]) || !chart.drawable(curve.high[i])) return flush();
    const at = chart.px(x).toFixed(1), edge = HEIGHT - BOTTOM;
    const low = chart.drawable(curve.low[i]) ? Math.min(chart.py(curve.low[i]), edge) : edge;
    up.push(`${at} ${chart.py(curve.high[i]).toFixed(1)}`), down.push(`${at} ${low.toFixed(1)}`);
  });
  flush();
  return path && `<path class="band r${curve.style.colour}" d="${path}"/>`;
}

// Seeds of one experiment share its name.
function labelOf(data, run) {
  return data.runs.some((other) => other !== run && other.name === run.name) ? `${run.name} (${run.id})` : run.name;
}

// How the curves are drawn, for print.
function howText(data, over, options, weight) {
  const view = data.view || {}, parts = [`Over ${over}${options.x === "log" ? ", logarithmic" : options.x === "symlog" ? ", ±log" : ""}`];
  if (options.grouped)
    parts.push(`means by ${view.grouped_by}, the band is ${view.band === "range" ? "min to max over runs" : "the 95 % CI of the mean (Student's t)"}, n in brackets`);
  const name = smoothingName(options.kind, weight);
  parts.push(name ? `${options.grouped ? "members" : "curves"} of ${SMOOTH_FROM} points and more smoothed (${name})` : "not smoothed");
  const hidden = data.runs.filter((run) => (view.hidden || []).includes(run.id)).map((run) => labelOf(data, run));
  if (hidden.length) parts.push(options.grouped ? `hidden in the studio, but counted in the means: ${hidden.join(", ")}` : `hidden in the studio and not drawn: ${hidden.join(", ")}`);
  return [parts.join("; ") + ".", ...(view.notes || [])].join(" ");
}

function groupCell(cell, row, value) {
  if (!cell.n) return `<td class="number same">–</td>`;
  let html = numberText(num(cell.mean)) + (cell.n > 1 ? ` ± ${numberText(num(cell.half), 2)}` : "");
  if (cell.n !== row.n) html += ` <span class="same">(n ${cell.n})</span>`;
  html += `<br><span class="note">${numberText(num(cell.least))} to ${numberText(num(cell.most))}</span>`;
  if (!row.base && cell.difference !== undefined) {
    const by = num(cell.difference), direction = !value.ranked ? "same" : (by > 0) === value.higher_is_better ? "good" : "bad";
    html += "<br>" + (cell.difference_half === undefined ? `<span class="same">${by > 0 ? "▲" : "▼"} ${numberText(Math.abs(by), 3)}, no interval</span>`
      : !cell.distinguishable ? `<span class="same">≈ not distinguishable</span>`
      : `<span class="${direction}">${by > 0 ? "▲" : "▼"} ${numberText(Math.abs(by), 3)} ± ${numberText(num(cell.difference_half), 2)}</span>`);
  }
  return `<td class="number">${html}</td>`;
}

function groupsHtml(data) {
  const table = data.view.table, base = table.rows.find((row) => row.base);
  let html = `<p class="note">Means over the runs of a group, by ${esc(data.view.grouped_by)}: ± is the 95 % CI (Student's t), below it minimum and maximum over runs` +
    (base ? `, and the difference to <b>${esc(base.title)}</b> with its 95 % CI (Welch); “not distinguishable” where it contains 0.` : ".") + "</p>" +
    `<div class="wide"><table><thead><tr><th scope="col">group</th><th scope="col">n</th>` +
    table.values.map((value) => `<th scope="col" title="${esc(value.doc)}">${esc(value.title)}</th>`).join("") + "</tr></thead><tbody>";
  table.rows.forEach((row, i) => {
    html += `<tr><th scope="row">${swatch(groupsOf(data)[i].style)}${esc(row.title)}</th><td class="number">${row.n}${row.hidden ? `<br><span class="note">${row.hidden} hidden</span>` : ""}</td>` +
      row.cells.map((cell, v) => groupCell(cell, row, table.values[v])).join("") + "</tr>";
  });
  html += `<tr><th scope="row">intervals</th><td></td>` + table.values.map((value, v) => {
    const values = table.rows.map((row) => row.cells[v]).map((cell) => cell.n ? { value: cell.mean,
      low: num(cell.mean) - (cell.n > 1 ? num(cell.half) : 0), high: num(cell.mean) + (cell.n > 1 ? num(cell.half) : 0) } : null);
    return `<td>${values.some(Boolean) ? intervalSvg({ title: value.title, values }, groupsOf(data).map((group) => group.style)) : ""}</td>`;
  }).join("") + "</tr></tbody></table></div>";
  return html + `<details><summary>Members</summary>` + groupsOf(data).map((group) => `<p>${swatch(group.style)}<b>${esc(group.title)}</b>: ` +
    group.runs.map((id) => esc((data.runs.find((run) => run.id === id) || { name: id }).name) + ` <span class="mono">${esc(id)}</span>`).join(", ") + "</p>").join("") + "</details>";
}
