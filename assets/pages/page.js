"use strict";
// What both pages share. No library, nothing fetched: the data lie in the page as JSON.

function esc(text) {
  return String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
}

// JSON has no word for what is not finite; texts stand for it.
function num(value) {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN;
}

function numberText(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(Math.max(0, digits - 2)).replace(/-/g, "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

function countText(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function durationText(seconds) {
  const s = Math.round(seconds);
  if (s < 120) return numberText(seconds, 3) + " s";
  if (s < 7200) return Math.floor(s / 60) + " min " + (s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
}

function timeText(seconds) {
  return seconds > 0 ? new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "–";
}

// Shortest edit by words (longest common subsequence): [kind, text] with kind "same", "added" or "removed".
function wordDiff(from, to) {
  const a = from.split(/\s+/).filter(Boolean), b = to.split(/\s+/).filter(Boolean);
  const parts = [];
  const add = (kind, word) => {
    if (parts.length && parts[parts.length - 1][0] === kind) parts[parts.length - 1][1] += " " + word;
    else parts.push([kind, word]);
  };
  if (a.length > 2000 || b.length > 2000) return from === to ? [["same", to]] : [["removed", from], ["added", to]];
  const width = b.length + 1;
  const length = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1
        : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add("same", b[(++i, j++)]);
    else if (i < a.length && (j === b.length || length[(i + 1) * width + j] >= length[i * width + j + 1]))
      add("removed", a[i++]);
    else add("added", b[j++]);
  }
  return parts;
}

// `to` with what differs from `from` marked: more words on a ground, missing ones struck through.
function diffHtml(from, to) {
  const tags = { same: ["", ""], added: ["<mark>", "</mark>"], removed: ["<s>", "</s>"] };
  return wordDiff(from, to).map(([kind, text]) => tags[kind][0] + esc(text) + tags[kind][1]).join(" ");
}

function pageData() {
  return JSON.parse(document.getElementById("data").textContent);
}
