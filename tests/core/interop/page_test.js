// The functions of the written pages, in Node: `node page_test.js <folder of the scripts>`. With a page's file as second
// argument it prints, as JSON, what that page draws.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = process.argv[2];
// Of each state, as the page's data has them.
const MARKS = ["bar", "frame", "disc", "", "diamond", "ring", ""].map((name) => ({ path: name + " ", filled: name !== "frame" && name !== "ring" }));
const REPORT = ["page.js", "report_charts.js", "report_fronts.js", "report_groups.js", "report.js"];

function load(...names) {
  const scope = vm.createContext({});
  vm.runInContext(names.map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("\n"), scope);
  return scope;
}

const STYLE = { colour: 0, dash: 0, shape: 0 };

// Values made in another context have other prototypes.
const plain = (value) => JSON.parse(JSON.stringify(value));

const tests = {
  "word diff is a shortest edit that gives both texts back"() {
    const { wordDiff } = load("page.js");
    assert.deepEqual(plain(wordDiff("the cat sat", "the old cat")), [["same", "the"], ["added", "old"], ["same", "cat"], ["removed", "sat"]]);
    assert.deepEqual(plain(wordDiff("", "a b")), [["added", "a b"]]);
    let state = 7;
    const random = (limit) => (state = (state * 1103515245 + 12345) % 2147483648) % limit;
    for (let round = 0; round < 300; ++round) {
      const words = () => Array.from({ length: random(8) }, () => "abc"[random(3)]);
      const a = words(), b = words(), parts = plain(wordDiff(a.join(" "), b.join(" ")));
      const of = (...kinds) => parts.filter(([kind]) => kinds.includes(kind)).map(([, text]) => text).join(" ");
      assert.equal(of("same", "removed"), a.join(" "));
      assert.equal(of("same", "added"), b.join(" "));
      const longest = (i, j) => i === a.length || j === b.length ? 0
        : Math.max(a[i] === b[j] ? 1 + longest(i + 1, j + 1) : 0, longest(i + 1, j), longest(i, j + 1));
      assert.equal(of("same").split(" ").filter(Boolean).length, longest(0, 0));
    }
  },
  "texts of others cannot become markup"() {
    const { esc, diffHtml } = load("page.js");
    assert.equal(esc(`<a href="x">'&`), "&#60;a href=&#34;x&#34;&#62;&#39;&#38;");
    assert.equal(diffHtml("a", "<b>"), "<s>a</s> <mark>&#60;b&#62;</mark>");
  },
  "numbers are read by people"() {
    const { numberText, countText, durationText, num } = load("page.js");
    assert.equal(numberText(0.123456), "0.1235");
    assert.equal(numberText(-1e-7), "−1.00e−7");
    assert.equal(numberText(num("nan")), "NaN");
    assert.equal(numberText(num("-inf")), "−∞");
    assert.equal(countText(1234567), "1\u202f234\u202f567");
    assert.equal(countText(123), "123");
    assert.equal(durationText(2401), "40 min 1 s");
  },
  "ticks are round and within"() {
    const { ticks } = load(...REPORT);
    assert.deepEqual(plain(ticks(0, 10, 5, false)), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(plain(ticks(-0.13, 0.27, 5, false)), [-0.1, 0, 0.1, 0.2]);
    assert.deepEqual(plain(ticks(0.5, 2000, 5, true)), [1, 10, 100, 1000]);
    assert.deepEqual(plain(ticks(1, 60, 5, true)), [1, 2, 5, 10, 20, 50]);
    for (const [low, high] of [[1e-9, 3e-9], [41.2, 41.3], [-1e7, 3e5]]) {
      const list = plain(ticks(low, high, 5, false));
      assert.ok(list.length >= 2 && list.length <= 7 && list.every((v) => v >= low && v <= high), `${low} ${list}`);
    }
  },
  "a line keeps every extreme of every half pixel"() {
    const { linePath } = load(...REPORT);
    const n = 20000, x = [], y = [];
    let state = 3;
    for (let i = 0; i < n; ++i) {
      state = (state * 1103515245 + 12345) % 2147483648;
      x.push(i), y.push(state % 1000);
    }
    y[777] = 5000, y[12345] = -4000;
    const scale = (v) => v / 100, place = (v) => v / 10;
    const drawn = plain(linePath(x, y, scale, place, Number.isFinite)), columns = new Map();
    let key = null;
    for (const [, command, first, second] of drawn.matchAll(/([MLV])([-\d.]+)(?: ([-\d.]+))?/g)) {
      if (command !== "V") columns.set(key = Math.floor(Number(first) * 2), []);
      columns.get(key).push(Number(second ?? first));
    }
    const truth = new Map();
    x.forEach((v, i) => {
      const k = Math.floor(scale(v) * 2);
      if (!truth.has(k)) truth.set(k, []);
      truth.get(k).push(place(y[i]));
    });
    assert.equal(columns.size, truth.size);
    for (const [k, ys] of truth) {
      assert.equal(Math.min(...columns.get(k)), Math.min(...ys));
      assert.equal(Math.max(...columns.get(k)), Math.max(...ys));
    }
  },
  "what is not finite breaks the line and stays visible"() {
    const { linePath, chartOf, oddPoints } = load(...REPORT);
    const id = (v) => v;
    assert.equal(linePath([0, 1, 2, 3], [1, NaN, 2, 3], id, id, Number.isFinite), "M0 1h0M2 2h0L3 3");
    const data = { runs: [{ name: "a", style: STYLE, curves: { loss: { step: [0, 1, 2], value: ["nan", 5, "inf"] } } }] };
    const chart = chartOf(data, { id: "loss" }, "step", false);
    assert.equal(oddPoints(chart, chart.curves[0]).match(/l6 6/g).length, 2);
    const log = chartOf({ runs: [{ name: "a", style: STYLE, curves: { loss: { step: [0, 1], value: [-5, 5] } } }] }, { id: "loss" }, "step", true);
    assert.match(oddPoints(log, log.curves[0]), /v-6/);
    assert.ok(log.y0 > 0);
  },
  "manual limits are the ends of the axes, and only where they were set"() {
    const { chartOf, chartSvg, viewLimits, hasLimits } = load(...REPORT);
    const data = { runs: [{ name: "a", style: STYLE, curves: { loss: { step: [0, 50, 100], value: [4, 2, 1] } } }],
      view: { metric: "loss", axis: "step", x_limits: [null, 80], y_limits: [0, 3] } };
    const loss = { id: "loss" };
    assert.deepEqual(plain(viewLimits(data, loss, "step")), { x: [null, 80], y: [0, 3] });
    assert.deepEqual(plain(viewLimits(data, { id: "bleu" }, "tokens")), { x: null, y: null });
    assert.ok(hasLimits(data.view) && !hasLimits({ x_limits: [null, null], y_limits: [null, null] }) && !hasLimits(undefined));
    const chart = chartOf(data, loss, "step", false, 0, { limits: viewLimits(data, loss, "step") });
    assert.deepEqual(plain([chart.x0, chart.x1, chart.y0, chart.y1]), [0, 80, 0, 3]);
    assert.equal(chart.py(0), 270);
    assert.equal(chart.py(3), 10);
    assert.match(chartSvg(chart, "loss"), /<svg x="58" y="10"/, "what lies beyond is cut off");
    const log = chartOf(data, loss, "step", "log", 0, { limits: { x: null, y: [0, 3] } });
    assert.ok(log.y0 > 0 && log.y1 === 3, "0 is not on a log axis");
    assert.equal(chartOf(data, loss, "step", false, 0, { limits: { x: [200, null], y: null } }).x1, 100, "nothing would be left");
    assert.ok(!/<svg x=/.test(chartSvg(chartOf(data, loss, "step", false), "loss")));
  },
  "smoothing is the studio's: debiased, by distance, blind to what is not finite"() {
    const { smoothed } = load(...REPORT);
    const x = [0, 1, 2, 4, 5], y = [3, 1, NaN, 7, 2], d = (from, to) => 2 ** (-(to - from) / (-1.25 / Math.log2(0.8)));
    const mean = (n) => {
      let sum = 0, weight = 0;
      for (let i = 0; i <= n; ++i) if (Number.isFinite(y[i])) sum += y[i] * d(x[i], x[n]), weight += d(x[i], x[n]);
      return sum / weight;
    };
    smoothed(x, y, 0.8).forEach((v, i) => i === 2 ? assert.ok(Number.isNaN(v)) : assert.ok(Math.abs(v - mean(i)) < 1e-12, String(i)));
    assert.deepEqual(plain(smoothed([0, 1, 2], [4, 4, 4], 0.9)), [4, 4, 4]);
    assert.deepEqual(plain(smoothed([0, 1], [1, 2], 0)), [1, 2]);
  },
  "sampler settings are read by people"() {
    const { settingsText } = load("page.js", "player.js");
    assert.equal(settingsText(`{"sampler.steps":10,"sampler.clamp":false}`), "steps 10 · clamp false");
    assert.equal(settingsText("plain words"), "plain words");
  },
  "tokens run along with the steps"() {
    const { tokensAt } = load(...REPORT);
    const run = { curves: { tokens_seen: { step: [10, 20], value: [1000, 3000] } } };
    assert.deepEqual(plain(tokensAt(run, [0, 5, 10, 15, 20, 25])), [0, 500, 1000, 2000, 3000, 4000]);
    assert.equal(tokensAt({ curves: {} }, [1]), null);
  },
  "nearest point of a curve"() {
    const { nearest } = load(...REPORT);
    const x = [0, 1, 4, 4, 9];
    for (const v of [-3, 0.4, 0.6, 2.4, 2.6, 6, 7, 20])
      assert.equal(Math.abs(x[nearest(x, v)] - v), Math.min(...x.map((p) => Math.abs(p - v))), String(v));
  },
  "a front of averaged weights has their name, that of a checkpoint its step"() {
    const { curveTitle } = load(...REPORT);
    const title = (checkpoint, alone) => curveTitle({ runs: [{ name: "a" }] }, { run: 0, step: 100, alone, checkpoint });
    assert.equal(title("step-00000100", false), "a @ 100");
    assert.equal(title("avg2 of steps 80, 100", false), "a @ avg2");
    assert.equal(title("avg2 of steps 80, 100", true), "a");
  },
  "outputs are those of the last evaluation up to a step, matched by prompt"() {
    const { promptsHtml } = load(...REPORT);
    const sample = (step, input, output) => ({ step, input, output, reference: "a b" });
    const data = { runs: [{ name: "one", style: STYLE, samples: [sample(1, "p", "a"), sample(9, "p", "a b"), sample(9, "q", "x")] },
      { name: "two", style: STYLE, samples: [sample(5, "q", "a b c")] }] };
    const early = promptsHtml(data, 1), late = promptsHtml(data, 9);
    assert.match(early, /a <s>b<\/s>/);
    assert.doesNotMatch(early, /<mark>/);
    assert.match(late, /a b <mark>c<\/mark>/);
    assert.equal(late.match(/class="prompt"/g).length, 2);
  },
  "only settings that differ, and a missing one"() {
    const { settingsTable } = load(...REPORT);
    const run = (name, config) => ({ name, style: STYLE, config });
    const html = settingsTable({ runs: [run("a", { lr: "1", rho: "2" }), run("b", { lr: "1", rho: "3", k: "4" }), run("old", {})] });
    const lead = html.slice(0, html.indexOf("<details"));
    assert.match(lead, /rho.*differs/);
    assert.match(lead, />k</);
    assert.doesNotMatch(lead, />lr</);
  },
  "a run has the style of its project at any index of the report"() {
    const { chartOf, chartSvg, swatch } = load(...REPORT);
    const run = (name, style) => ({ name, style, curves: { loss: { step: [0, 1], value: [1, 2] } } });
    const data = { runs: [run("a", { colour: 3, dash: 1, shape: 4 }), run("b", { colour: 3, dash: 1, shape: 2 })] };
    const svg = chartSvg(chartOf(data, { id: "loss" }, "step", false), "loss");
    assert.equal(svg.match(/class="curve r3" stroke-dasharray="6 4"/g).length, 2);
    const shapes = data.runs.map((one) => /d="([^"]*)"\/><\/svg>/.exec(swatch(one.style))[1]);
    assert.notEqual(shapes[0], shapes[1]);
  },
  "means, intervals and gaps of groups are those of the studio"() {
    const { meanBand, resampled } = load(...REPORT);
    const golden = JSON.parse(fs.readFileSync(path.join(folder, "../../tests/golden/series/student.json"), "utf8"));
    const quantiles = [null, ...[1, 2, 3, 4].map((n) => golden.quantiles.find(([degrees]) => degrees === n)[1])];
    for (const name of ["three seeds", "close", "wide"]) {
      const wanted = golden.samples[name];
      const band = plain(meanBand(wanted.values.map((v) => ({ x: [0, 10], y: [v, v] })), quantiles, false));
      assert.deepEqual(band.x, [0, 10]);
      assert.ok(Math.abs(band.y[1] - wanted.mean) < 1e-9 && Math.abs(band.low[0] - wanted.low) < 1e-8 && Math.abs(band.high[1] - wanted.high) < 1e-8, name);
    }
    const band = plain(meanBand([{ x: [0, 4], y: [0, 4] }, { x: [2, 6], y: [10, 14] }], quantiles, true));
    assert.deepEqual([band.x, band.y, band.low, band.high], [[0, 2, 4, 6], [0, 6, 8, 14], [null, 2, 4, null], [null, 10, 12, null]]);
    assert.deepEqual(plain(resampled([0, 1, 2], [5, NaN, 7], [0, 0.5, 1, 1.5, 2, 3])), [5, null, null, null, 7, null]);
  },
  "a median is that of the studio's window"() {
    const { smoothed, smoothingName } = load(...REPORT);
    const x = [0, 1, 2, 3, 4, 5, 6], y = [1, 1, 90, 2, NaN, 3, 5];
    assert.deepEqual(plain(smoothed(x, y, 0.5, "median")), [1, 1, 1, 2, null, 2.5, 4]);
    assert.equal(smoothingName("median", 0.5), "median of 3 points");
    assert.equal(smoothingName("ema", 0.96), "EMA 0.96");
    assert.deepEqual(plain(smoothed(x, [1, 2, 3, 4, 5, 6, 7], 0.9, "none")), [1, 2, 3, 4, 5, 6, 7]);
  },
  "scales know both signs and what has no place"() {
    const { scaleOf, scaleTicks } = load(...REPORT);
    const both = scaleOf("symlog", 1000);
    for (const v of [-1000, -3, 0, 0.5, 700]) assert.ok(Math.abs(both.value(both.position(v)) - v) < 1e-9 * Math.max(1, Math.abs(v)));
    assert.ok(both.position(-1) < both.position(0) && both.position(0) < both.position(1));
    assert.deepEqual(plain(scaleTicks(-1000, 1000, 5, "symlog")), [-1000, -100, -10, -1, 0, 1, 10, 100, 1000]);
    assert.ok(!scaleOf("log").drawable(0) && scaleOf("linear").drawable(-1));
  },
  "a trace has its token changes"() {
    const { nextChange, positionHistory, stepText, stepFacts, mapSvg } = load("page.js", "player.js");
    const data = { steps: 4, positions: 2, candidates: 0, token_texts: { 1: "\u2581the", 2: "\u2581cat", 3: "\u2581dog" }, t: [1, 0.6, 0.3, 0],
      tokens: [1, 3, 1, 2, 1, 2, 1, 3], state: [2, 2, 3, 4, 3, 3, 3, 4], confidence: Array(8).fill(0.5), entropy: Array(8).fill(1),
      marked: [1, 1, 0, 1, 0, 0, 0, 1], mark_shapes: MARKS, finished_blocks: [], will_mask: [], committed: [] };
    assert.equal(stepText(data, 1), "the cat");
    assert.deepEqual(plain(positionHistory(data, 1)), [{ token: 3, from: 0, to: 0 }, { token: 2, from: 1, to: 2 }, { token: 3, from: 3, to: 3 }]);
    assert.equal(nextChange(data, 1, 1), 3);
    assert.equal(nextChange(data, 1, -1), 1);
    assert.equal(stepFacts(data, 3).changes, 1);
    assert.equal(mapSvg(data).match(/h14v14/g).length, 8);
    // The marks that are listed, in the middle of their cells: discs and, from the second step on, diamonds.
    assert.match(mapSvg(data), /class="mark full" d="M115 7disc M115 21disc M129 21diamond M157 21diamond "/);
  },
  "a trace shows what it has"() {
    const { canvasHtml, legendHtml, mapSvg, positionHtml, readout } = load("page.js", "player.js");
    const data = { steps: 2, positions: 2, candidates: 8, token_texts: {}, t: [1, 0], log_snr: [0, 1], tokens: [], state: [2, 1, 3, 2],
      confidence: [], entropy: [], top_ids: [], top_prob: [], marked: [1, 1, 0, 1], mark_shapes: MARKS, finished_blocks: [], will_mask: [], committed: [] };
    const html = canvasHtml(data, 1, 0) + legendHtml(data) + mapSvg(data) + positionHtml(data, 1, 0) + readout(data, 1);
    assert.doesNotMatch(html, /NaN|undefined|confidence [0-9]|entropy/);
    assert.match(html, /2\/2/);
  },
  "declared tokens have their marks"() {
    const { canvasHtml, legendHtml, mapSvg } = load("page.js", "player.js");
    const data = { steps: 2, positions: 4, candidates: 0, token_texts: {}, t: [1, 0], tokens: Array(8).fill(1), state: Array(8).fill(3),
      confidence: [0.2, 0.9, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2], will_mask: [1, 1, 0, 0, 0, 0, 0, 0],
      committed: [0, 0, 1, 0, 0, 0, 1, 1], marked: Array(8).fill(0), mark_shapes: MARKS, finished_blocks: [[0, 2, 1], [1, 3, 1]] };
    const at = (html, pattern) => (html.match(pattern) || []).length, first = canvasHtml(data, 0, 0), second = canvasHtml(data, 1, 0);
    assert.equal(at(first, /class="token kept will-mask/g), 2);
    assert.equal(at(first, /remasked in the next step"/g), 2);
    assert.equal(at(second, /will-mask/g), 0);
    assert.match(first, /data-position="2"[^]*bracket from[^]*bracket to[^]*data-position="3"/);
    assert.match(second, /data-position="2"[^]*bracket from[^]*data-position="3"[^]*bracket to/);
    assert.equal(at(second, /class="bracket/g), 2);
    // One ring of each ink; a bracket of one cell in each step: position 2 at the first, position 3 at the second.
    const map = mapSvg(data), path = (name) => new RegExp(`class="${name}" d="([^"]*)"`).exec(map)[1];
    assert.equal(path("mark ring"), "M109.5 7a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0");
    assert.equal(path("mark deep ring"), "M109.5 21a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0");
    assert.equal(path("mark finished"), "M112.5 29h-3v12h3M126.5 43h-3v12h3");
    assert.match(legendHtml(data), /finished block/);
    const none = { ...data, will_mask: [], committed: [], finished_blocks: [] };
    assert.doesNotMatch(legendHtml(none) + canvasHtml(none, 0, 0), /will-mask|bracket/);
  },
};

function draw(page) {
  const html = fs.readFileSync(page, "utf8");
  const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)[1]);
  if (data.format === "kurve.report/1") {
    const scope = load(...REPORT), charts = {};
    for (const metric of data.metrics)
      for (const axis of ["step", "tokens", "seconds"])
        charts[`${metric.id} ${axis}`] = scope.chartSvg(scope.chartOf(data, metric, axis, metric.log_scale), metric.title);
    const grouped = {};
    if (data.view)
      for (const metric of data.metrics)
        for (const x of ["linear", "log", "symlog"])
          grouped[`${metric.id} ${x}`] = scope.chartSvg(scope.chartOf(data, metric, "step", "symlog", 0.9, { grouped: true, x, kind: "median" }), metric.title);
    return { body: scope.reportHtml(data), charts, grouped };
  }
  const scope = load("page.js", "player.js"), steps = [];
  for (let step = 0; step < data.steps; ++step) steps.push(scope.canvasHtml(data, step, 0) + scope.positionHtml(data, step, 0));
  return { body: scope.playerHtml(data), steps };
}

if (process.argv[3]) {
  process.stdout.write(JSON.stringify(draw(process.argv[3])));
} else {
  for (const [name, test] of Object.entries(tests)) {
    test();
    console.log("ok: " + name);
  }
}
