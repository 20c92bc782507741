#include "core/inspect/intervention.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/store/safetensors.h"

namespace kurve::inspect {

using trace::EditKind;

int openingStep(const trace::Trace& trace) {
    const std::string text = trace.metaText("branch_step");
    int step = trace.steps - 1;
    std::from_chars(text.data(), text.data() + text.size(), step);
    return std::clamp(step, 0, std::max(0, trace.steps - 1));
}

void Intervention::setTrace(std::shared_ptr<const trace::Trace> trace) {
    trace_ = std::move(trace);
    parent_.reset();
    pending_.clear();
    made_.clear();
    if (!trace_) return;
    auto made = trace::editsFromText(trace_->metaText("branch_history"), 0);
    if (made) made_ = std::move(*made);
}

void Intervention::setParent(std::shared_ptr<const trace::Trace> parent) {
    // A text that is written in order may end elsewhere.
    const bool fits =
        parent && trace_ && parent->unit == trace_->unit &&
        (trace_->ordered() || (parent->steps == trace_->steps && parent->positions == trace_->positions));
    parent_ = fits ? std::move(parent) : nullptr;
}

namespace {

/// The step of a model that writes in order which writes the position.
int stepThatWrites(const trace::Trace& trace, int position) {
    if (trace.outer.empty()) return std::max(0, position - 1);
    // A step's first position; it may write several.
    const auto after = std::upper_bound(trace.outer.begin(), trace.outer.end(), position);
    return std::max(0, static_cast<int>(after - trace.outer.begin()) - 1);
}

}  // namespace

// A model that writes in order writes each token once: its edit acts at that step.
void Intervention::add(trace::Edit edit) {
    const bool sampler = edit.kind == EditKind::Sampler;
    if (trace_ && trace_->ordered() && !sampler)
        edit.step = std::min(edit.step, stepThatWrites(*trace_, edit.position));
    std::erase_if(pending_, [&](const trace::Edit& other) {
        if (sampler || other.kind == EditKind::Sampler)
            return sampler && other.kind == EditKind::Sampler && other.step == edit.step;
        const bool sameCell =
            other.position == edit.position && other.point == edit.point && other.step == edit.step;
        const bool ban = other.kind == EditKind::Ban || edit.kind == EditKind::Ban;
        return sameCell && (!ban || other == edit);
    });
    pending_.push_back(std::move(edit));
}

void Intervention::removePosition(int position) {
    std::erase_if(pending_, [&](const trace::Edit& edit) {
        return !edit.point && edit.kind != EditKind::Sampler && edit.position == position;
    });
}

int Intervention::firstStep() const {
    const auto first =
        std::min_element(pending_.begin(), pending_.end(),
                         [](const trace::Edit& a, const trace::Edit& b) { return a.step < b.step; });
    return first == pending_.end() ? -1 : first->step;
}

bool Intervention::differs(int step, int position) const {
    return parent_ &&
           (position >= parent_->positions || !trace::sameToken(*trace_, *parent_, step, position));
}

int Intervention::changedPositions() const {
    int changed = 0;
    for (int position = 0; parent_ && position < trace_->positions; ++position)
        changed += differs(trace_->steps - 1, position) ? 1 : 0;
    return changed;
}

bool Intervention::supports(EditKind kind) const {
    if (!trace_) return false;
    const auto known = trace_->meta.find("edits");
    if (known == trace_->meta.end()) return true;
    const auto names = split(known->second, ',');
    return std::find(names.begin(), names.end(), trace::editKindName(kind)) != names.end();
}

namespace {

struct TraceHeader {
    std::filesystem::path file;
    std::map<std::string, std::string> meta;
    [[nodiscard]] std::string text(const char* key) const {
        const auto found = meta.find(key);
        return found == meta.end() ? std::string() : found->second;
    }
};

std::map<std::string, TraceHeader> tracesBeside(const std::filesystem::path& file) {
    std::map<std::string, TraceHeader> all;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), error)) {
        if (entry.is_symlink(error) || entry.path().extension() != ".safetensors") continue;
        if (const auto opened = store::SafetensorsFile::open(entry.path()))
            all[trace::traceNameOf(entry.path())] = {entry.path(), (*opened)->metadata()};
    }
    return all;
}

/// `visited` ends a cycle of wrong parents.
BranchNode nodeOf(const std::string& name, const std::map<std::string, TraceHeader>& all,
                  std::set<std::string>& visited) {
    const TraceHeader& own = all.at(name);
    visited.insert(name);
    BranchNode node{own.file, own.text("branch_change"), own.text("output"), {}};
    if (node.change.empty()) node.change = own.text("prompt");
    for (const auto& [other, header] : all)  // names begin with the time: oldest first
        if (header.text("branch_parent") == name && !visited.contains(other))
            node.children.push_back(nodeOf(other, all, visited));
    return node;
}

}  // namespace

BranchNode branchTreeOf(const std::filesystem::path& file) {
    const auto all = tracesBeside(file);
    std::string root = trace::traceNameOf(file);
    if (!all.contains(root)) return {file, "", "", {}};
    for (std::size_t up = 0; up < all.size(); ++up) {  // bounded: parents may form a cycle
        const std::string parent = all.at(root).text("branch_parent");
        if (!all.contains(parent)) break;
        root = parent;
    }
    std::set<std::string> visited;
    return nodeOf(root, all, visited);
}

}  // namespace kurve::inspect
