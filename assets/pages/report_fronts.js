// Accuracy against diversity in a report.

const PLANE_HEIGHT = 400;

function curveTitle(data, curve) {
  const weights = curve.checkpoint.startsWith("avg") ? curve.checkpoint.split(" ")[0] : countText(curve.step);
  return esc(data.runs[curve.run].name) + (curve.alone ? "" : ` @ ${esc(weights)}`);
}

// From numbers to positions, with room for every interval and for the references. Better is up.
function planeScale(plane) {
  const points = plane.curves.flatMap((c) => c.points);
  const xs = points.flatMap((d) => [d.x, ...d.x_ci95].map(num)), ys = points.flatMap((d) => [d.y, ...d.y_ci95].map(num));
  if (plane.reference !== undefined) xs.push(num(plane.reference));
  const span = (list) => {
    const finite = list.filter(Number.isFinite), low = Math.min(...finite), high = Math.max(...finite);
    const margin = (high - low) * 0.05 || Math.abs(high) * 0.05 || 0.5;
    return [low - margin, high + margin];
  };
  const [x0, x1] = span(xs), [low, high] = span(ys), [y0, y1] = plane.quality.lower_is_better ? [high, low] : [low, high];
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
  for (const v of ticks(Math.min(s.y0, s.y1), Math.max(s.y0, s.y1), 6, false))
    svg += `<path class="grid" d="M${LEFT} ${s.py(v)}H${right}"/><text x="${LEFT - 6}" y="${s.py(v) + 4}" text-anchor="end">${numberText(v, 3)}</text>`;
  for (const v of ticks(s.x0, s.x1, 7, false))
    svg += `<path class="grid" d="M${s.px(v)} ${TOP}V${bottom}"/><text x="${s.px(v)}" y="${bottom + 15}" text-anchor="middle">${numberText(v, 3)}</text>`;
  svg += `<path class="axis" fill="none" d="M${LEFT} ${TOP}V${bottom}H${right}"/>`;
  svg += `<text x="${right}" y="${PLANE_HEIGHT - 6}" text-anchor="end">${esc(plane.diversity.title)} →</text>`;
  return svg + `<text x="${LEFT + 6}" y="${TOP + 10}">↑ ${esc(plane.quality.title)}${plane.quality.lower_is_better ? " (lower is better)" : ""}</text>`;
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
    const at = (i) => `${r(s.px(num(curve.points[i].x)))} ${r(s.py(num(curve.points[i].y)))}`;
    for (const point of curve.points)
      if (point.ellipse) svg += `<path ${runStyle(data.runs[curve.run].style)} opacity="0.35" d="${ellipsePath(point.ellipse, s)}"/>`;
    svg += `<path ${runStyle(data.runs[curve.run].style)} stroke-width="2" d="M${curve.front.map(at).join("L")}"/>`;
    curve.points.forEach((point, i) => {
      const x = num(point.x), y = num(point.y), [xLow, xHigh] = point.x_ci95.map(num), [yLow, yHigh] = point.y_ci95.map(num);
      svg += `<g${curve.front.includes(i) ? "" : ` opacity="0.55"`}><title>${curveTitle(data, curve)}: ${esc(point.settings)}</title>` +
        `<path class="curve r${data.runs[curve.run].style.colour}" stroke-width="1" opacity="0.6" d="M${r(s.px(xLow))} ${r(s.py(y))}H${r(s.px(xHigh))}M${r(s.px(x))} ${r(s.py(yLow))}V${r(s.py(yHigh))}"/>` +
        marker(data.runs[curve.run].style, r(s.px(x)), r(s.py(y))) + "</g>";
    });
  }
  return svg + "</svg>";
}

function withBounds(value, bounds) {
  const text = numberText(num(value));
  if (!Number.isFinite(num(bounds[0]))) return text;
  return `${text} <span class="same">[${bounds.map((v) => numberText(num(v))).join(", ")}]</span>`;
}

function planeTables(data, plane) {
  let html = `<div class="wide"><table><thead><tr><th>front of</th><th>points</th><th>on the front</th><th>hypervolume</th><th>diversity − references</th></tr></thead><tbody>`;
  for (const curve of plane.curves)
    html += `<tr><th scope="row">${swatch(data.runs[curve.run].style)}${curveTitle(data, curve)}</th><td class="number">${curve.points.length}</td><td class="number">${curve.front.length}</td>` +
      `<td class="number">${numberText(num(curve.hypervolume))}</td><td class="number">${curve.from_reference === undefined ? "–" : numberText(num(curve.from_reference), 3)}</td></tr>`;
  html += `</tbody></table></div><details open><summary>Every point of the fronts</summary><div class="wide"><table><thead><tr><th>run</th><th>sampler</th>` +
    `<th>${unitText(plane.quality)}</th><th>${unitText(plane.diversity)}</th><th>ms per text</th></tr></thead><tbody>`;
  for (const curve of plane.curves)
    for (const i of curve.front) {
      const point = curve.points[i];
      html += `<tr><th scope="row">${swatch(data.runs[curve.run].style)}${curveTitle(data, curve)}</th><td>${esc(point.settings)}</td><td class="number">${withBounds(point.y, point.y_ci95)}</td>` +
        `<td class="number">${withBounds(point.x, point.x_ci95)}</td><td class="number">${point.milliseconds === undefined ? "–" : numberText(num(point.milliseconds), 3)}</td></tr>`;
    }
  return html + "</tbody></table></div></details>";
}

function frontsHtml(data) {
  return data.fronts.map((plane) => `<h3>${esc(plane.quality.title)} against ${esc(plane.diversity.title)}</h3><div class="chart plane">${planeSvg(data, plane)}</div>` +
    plane.notes.map((note) => `<p class="note">${esc(note)}</p>`).join("") +
    `<p class="note">Hypervolume: the area under a front above the worst of all points, ${esc(plane.diversity.title)} ${numberText(num(plane.corner[0]), 3)} and ${esc(plane.quality.title)} ${numberText(num(plane.corner[1]), 3)}.</p>` +
    planeTables(data, plane)).join("");
}
