#include "core/trace/trace_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/trace/detail/trace_layers.h"

namespace kurve::trace {
namespace {

using detail::TraceTensors;
using store::TensorView;

constexpr std::int64_t kTextRoom = std::int64_t{2} << 20;  // of a level in the growing file; takes no space

template <class T>
void extend(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

std::string textLine(std::uint32_t token, const std::string& text) {
    return nlohmann::json::array({token, text})
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           '\n';
}

/// The same tensor with room for, or cut to, so many steps.
TensorView ofSteps(TensorView tensor, std::int64_t steps) {
    tensor.shape[0] = steps;
    if (!tensor.bytes.empty())
        tensor.bytes = tensor.bytes.first(static_cast<std::size_t>(tensor.elements()) *
                                          store::elementBytes(tensor.dtype));
    return tensor;
}

/// Appends the steps of one level.
void extendLevel(Trace& all, const Trace& more) {
    extend(all.t, more.t);
    extend(all.logSnr, more.logSnr);
    extend(all.outer, more.outer);
    extend(all.inner, more.inner);
    extend(all.tokens, more.tokens);
    extend(all.state, more.state);
    extend(all.confidence, more.confidence);
    extend(all.entropy, more.entropy);
    extend(all.margin, more.margin);
    extend(all.topIds, more.topIds);
    extend(all.topProbability, more.topProbability);
    for (const auto& [name, block] : more.blocks) {
        if (isConstant(name)) continue;
        Block& into = all.blocks.at(name);
        extend(into.data, block.data);
        into.shape[0] += block.shape[0];
    }
    all.tokenTexts.insert(more.tokenTexts.begin(), more.tokenTexts.end());
    all.steps += more.steps;
}

}  // namespace

void TraceBuilder::begin(int /*plannedSteps*/) {
    trace_ = {};
}

void TraceBuilder::addConstant(const std::string& name, Block block) {
    trace_.blocks[name] = std::move(block);
}

void TraceBuilder::append(const Trace& frames) {
    if (trace_.steps == 0) {
        Trace first = frames;
        for (auto& [name, block] : trace_.blocks) first.blocks[name] = std::move(block);
        trace_ = std::move(first);
        return;
    }
    extendLevel(trace_, frames);
    if (frames.below == nullptr) return;
    Trace below = *trace_.below;
    TraceBuilder(below).append(*frames.below);
    trace_.below = std::make_shared<const Trace>(std::move(below));
}

TraceWriter::TraceWriter(Options options) : options_(std::move(options)) {}

TraceWriter::~TraceWriter() {
    std::error_code ignored;
    if (file_) std::filesystem::remove(options_.growing, ignored);
}

std::string TraceWriter::metaText(const std::string& key) const {
    const auto found = options_.meta.find(key);
    return found == options_.meta.end() ? std::string() : found->second;
}

void TraceWriter::begin(int plannedSteps) {
    planned_ = plannedSteps;
    steps_ = innerLength_ = 0;
    file_.reset();
    constants_.clear();
    wide_.clear();
}

void TraceWriter::addConstant(const std::string& name, Block block) {
    constants_[name] = std::move(block);
}

void TraceWriter::append(const Trace& frames) {
    if (failure_) return;
    if (const Status done = put(frames); !done) {
        failure_ = done.error();
        return;
    }
    if (options_.progress) options_.progress(steps_, planned_);
}

Status TraceWriter::put(const Trace& frames) {
    if (!file_) KURVE_CHECKED(start(frames));
    const TraceTensors tensors(frames, wide_);
    if (!tensors.tooLarge().empty()) {
        KURVE_CHECKED(widen(tensors.tooLarge()));
        return put(frames);
    }
    KURVE_CHECK(steps_ + frames.steps <= planned_, "step {} of {}", steps_ + frames.steps, planned_);
    for (const auto& [name, tensor] : tensors.frames()) {
        const auto place = layout_.find(name);
        KURVE_CHECK(place != layout_.end() && place->second.dtype == tensor.dtype &&
                        std::equal(tensor.shape.begin() + 1, tensor.shape.end(),
                                   place->second.shape.begin() + 1, place->second.shape.end()),
                    "layer {} is not as it was in the first frame", name);
        const std::uint64_t before = frames.steps == 0
                                         ? 0
                                         : tensor.bytes.size() / static_cast<std::uint64_t>(frames.steps) *
                                               static_cast<std::uint64_t>(steps_);
        KURVE_CHECKED(file_->write(name, before, tensor.bytes));
    }
    KURVE_CHECKED(putTexts(frames));
    steps_ += frames.steps;
    for (const std::int32_t i : frames.inner) innerLength_ = std::max(innerLength_, i + 1);
    if (frames.inner.empty()) innerLength_ = std::max(innerLength_, steps_);
    return file_->setCounter(static_cast<std::uint64_t>(steps_));
}

/// Lays the growing file out after the first frames.
Status TraceWriter::start(const Trace& frames) {
    levels_.clear();
    for (const Trace* level = &frames; level != nullptr; level = level->below.get())
        levels_.push_back({level->unit, level->positions, level->topK, {}, 0});
    levelsJson_ = detail::levelsJson(frames);
    outerLength_ = frames.outerLength;
    wide_.merge(std::set(TraceTensors(frames, wide_).tooLarge()));
    const TraceTensors tensors(frames, wide_);
    layout_.clear();
    auto all = tensors.constants();
    for (const auto& [name, tensor] : tensors.frames())
        layout_[name] = all[name] = ofSteps({tensor.dtype, tensor.shape, {}}, planned_);
    Trace constants;
    constants.blocks = constants_;
    const TraceTensors early(constants);
    all.insert(early.constants().begin(), early.constants().end());
    for (const Level& level : levels_) all[detail::prefixOf(level.unit) + "texts"] = {"U8", {kTextRoom}, {}};
    auto meta = options_.meta;
    meta["format"] = detail::kFormat;
    meta["levels"] = levelsJson_;
    meta["axes"] = detail::axesJson(outerLength_, planned_);
    meta["planned_steps"] = std::to_string(planned_);
    KURVE_TRY(auto file, store::SafetensorsInPlace::create(options_.growing, all, meta, detail::kCounter));
    file_.emplace(std::move(file));
    for (const auto* set : {&tensors.constants(), &early.constants()})
        for (const auto& [name, tensor] : *set) KURVE_CHECKED(file_->write(name, 0, tensor.bytes));
    for (const Trace* level = &frames; level != nullptr; level = level->below.get())
        for (const auto& [name, block] : level->blocks)
            if (isConstant(name)) constants_[detail::prefixOf(level->unit) + name] = block;
    return {};
}

void TraceWriter::addText(const Trace& frames, Level& level, std::uint32_t token, std::string& lines) const {
    if (level.texts.contains(token)) return;
    const auto given = frames.tokenTexts.find(token);
    const bool named = level.unit == Unit::Token && options_.textOf;
    if (!named && given == frames.tokenTexts.end()) return;
    std::string text = named ? options_.textOf(token) : given->second;
    if (text.empty()) return;
    lines += textLine(token, text);
    level.texts.emplace(token, std::move(text));
}

Status TraceWriter::putTexts(const Trace& frames) {
    const Trace* at = &frames;
    for (Level& level : levels_) {
        std::string lines;
        for (const auto* ids : {&at->tokens, &at->topIds})
            for (const std::uint32_t id : *ids) addText(*at, level, id, lines);
        for (const auto& [id, text] : at->tokenTexts) addText(*at, level, id, lines);
        const auto room = static_cast<std::uint64_t>(kTextRoom);
        if (!lines.empty() && level.textBytes + lines.size() < room) {  // the finished file has all
            KURVE_CHECKED(file_->write(detail::prefixOf(level.unit) + "texts", level.textBytes,
                                       std::as_bytes(std::span(lines))));
            level.textBytes += lines.size();
        }
        at = at->below.get();
    }
    return {};
}

/// Begins the file again with these blocks in F32. Rare: values beyond F16 in a later frame only.
Status TraceWriter::widen(const std::set<std::string>& blocks) {
    wide_.insert(blocks.begin(), blocks.end());
    const bool before = steps_ > 0;
    Result<Trace> soFar = Trace();
    if (before) soFar = readTrace(options_.growing);
    if (!soFar) return soFar.error();
    file_.reset();
    steps_ = 0;
    return before ? put(*soFar) : Status();
}

Result<WrittenTrace> TraceWriter::finish(const std::filesystem::path& file,
                                         const std::map<std::string, std::string>& meta) {
    if (!failure_ && !file_) append({});
    if (failure_) return *failure_;
    KURVE_TRY(const auto grown, store::SafetensorsFile::open(options_.growing));
    std::map<std::string, TensorView> tensors;
    for (const auto& [name, unused] : layout_) tensors[name] = ofSteps(*grown->find(name), steps_);
    std::string ignored;
    for (const char* ids : {"vocab/ids", "reference/ids"})
        if (constants_.contains(ids))
            for (const float id : constants_[ids].data)
                addText({}, levels_.back(), static_cast<std::uint32_t>(id), ignored);
    std::vector<std::string> texts;
    texts.reserve(levels_.size());
    for (const Level& level : levels_) {
        std::string& lines = texts.emplace_back();
        for (const auto& [token, text] : level.texts) lines += textLine(token, text);
        tensors[detail::prefixOf(level.unit) + "texts"] = {
            "U8", {static_cast<std::int64_t>(lines.size())}, std::as_bytes(std::span(lines))};
    }
    Trace constants;
    constants.blocks = constants_;
    const TraceTensors coded(constants);
    for (const auto& [name, tensor] : coded.constants()) tensors[name] = tensor;
    auto all = options_.meta;
    for (const auto& [key, value] : meta) all[key] = value;
    all["format"] = detail::kFormat;
    all["levels"] = levelsJson_;
    all["axes"] = detail::axesJson(outerLength_, innerLength_);
    KURVE_TRY(std::string hash, store::writeSafetensors(file, tensors, all));
    std::error_code unread;
    return WrittenTrace{std::move(hash), static_cast<std::int64_t>(std::filesystem::file_size(file, unread)),
                        steps_, levels_.front().positions};
}

Result<std::string> writeTrace(const std::filesystem::path& file, const Trace& trace) {
    auto growing = file;
    growing += ".part";
    TraceWriter writer({growing, trace.meta});
    writer.begin(trace.steps);
    writer.append(trace);
    KURVE_TRY(WrittenTrace written, writer.finish(file));
    return std::move(written.sha256);
}

}  // namespace kurve::trace
