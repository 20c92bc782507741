#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json_depth.h"
#include "core/store/run_file.h"
#include "core/trace/detail/trace_layers.h"

namespace kurve::trace {
namespace {

using nlohmann::json;
using store::TensorView;

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // steps, positions, candidates

bool isCount(const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMost);
}

/// Reads one file; every member that fails leaves the reason in the Status.
class Reader {
public:
    Reader(const store::SafetensorsFile& file, std::string name) : file_(file), name_(std::move(name)) {}

    Result<Trace> read() {
        KURVE_CHECKED(readMeta());
        KURVE_CHECKED(readLevels());
        KURVE_CHECKED(readFrames());
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            levels_[i].meta = meta_;
            if (i > 0) levels_[i].meta["edits"] = "";  // edits are of the coarsest level
            levels_[i].file = name_;
            KURVE_CHECKED(readLevel(levels_[i]));
        }
        KURVE_CHECKED(readBlocks());
        for (std::size_t i = levels_.size(); i-- > 0;) {
            if (i + 1 < levels_.size())
                levels_[i].below = std::make_shared<const Trace>(std::move(levels_[i + 1]));
            joinTexts(levels_[i]);
        }
        return std::move(levels_.front());
    }

private:
    [[nodiscard]] Error error(const char* code, std::string message, const std::string& field) const {
        return workError(code, std::move(message)).in(name_).at(field).fix("record the trace again");
    }
    [[nodiscard]] Error shapeError(std::string message, const std::string& field) const {
        return error("trace.shape", std::move(message), field);
    }

    /// A JSON entry of the metadata, taken out of it; null if it is not there.
    Result<json> take(const char* key) {
        const auto found = meta_.find(key);
        if (found == meta_.end()) return error("trace.missing", "is missing in the metadata", key);
        const std::string text = std::move(found->second);
        meta_.erase(found);
        auto value =
            jsonDeeperThan(text, 5) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
        if (value.is_discarded()) return shapeError("is not JSON", key);
        return value;
    }

    Status readMeta() {
        meta_ = file_.metadata();
        const auto format = meta_.find("format");
        if (format == meta_.end())
            return error("trace.missing", "not a trace: no format in its metadata", "format");
        if (format->second != detail::kFormat)
            return workError("trace.version", fmt::format("format '{}', this build reads '{}'",
                                                          format->second, detail::kFormat))
                .in(name_)
                .at("format")
                .fix("record the trace again, or open it with the Kurve that wrote it");
        meta_.erase(format);
        KURVE_TRY(const json axes, take("axes"));
        for (const auto& [key, into] :
             {std::pair("position", &outerLength_), std::pair("denoising_step", &innerLength_)}) {
            const json length = axes.is_object() ? axes.value(key, json()) : json();
            if (!isCount(length)) return shapeError("is not {position, denoising_step: length}", "axes");
            *into = length.get<int>();
        }
        if (const auto counter = meta_.find(detail::kCounter); counter != meta_.end()) {
            const std::string text = std::move(counter->second);
            meta_.erase(counter);
            std::int64_t frames = -1;
            const auto end = text.data() + text.size();
            if (std::from_chars(text.data(), end, frames).ptr != end || frames < 0 || frames > kMost)
                return shapeError("is not a number of frames", detail::kCounter);
            frames_ = frames;
        }
        return {};
    }

    Status readLevels() {
        KURVE_TRY(const json levels, take("levels"));
        if (!levels.is_array() || levels.empty() || levels.size() > 3)
            return shapeError("is not a list of one to three levels", "levels");
        for (const json& one : levels) KURVE_CHECKED(addLevel(one));
        if (!levels_.back().spans.empty()) return shapeError("the finest level has spans", "levels");
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i)
            KURVE_CHECKED(checkSpans(levels_[i], levels_[i + 1].positions));
        return {};
    }

    Status addLevel(const json& one) {
        Trace level;
        const json unit = one.is_object() ? one.value("unit", json()) : json();
        const auto units = {Unit::Token, Unit::Chunk, Unit::Sentence};
        const auto known =
            std::find_if(units.begin(), units.end(), [&](Unit u) { return unit == unitName(u); });
        if (known == units.end()) return shapeError("unit is not token, chunk or sentence", "levels");
        level.unit = *known;
        if (!levels_.empty() && level.unit >= levels_.back().unit)
            return shapeError("a level is not finer than the one before it", "levels");
        const json positions = one.value("positions", json()),
                   topK = one.value("top_k", json(kTopCandidates));
        if (!isCount(positions) || !isCount(topK))
            return shapeError("positions or top_k is no count", "levels");
        level.positions = positions.get<int>();
        level.topK = topK.get<int>();
        for (const json& span : one.value("spans", json::array())) {
            if (!span.is_array() || span.size() != 2 || !isCount(span[0]) || !isCount(span[1]))
                return shapeError("a span is not [begin, end]", "spans");
            level.spans.push_back({span[0].get<int>(), span[1].get<int>()});
        }
        levels_.push_back(std::move(level));
        return {};
    }

    [[nodiscard]] Status checkSpans(const Trace& level, int below) const {
        if (level.spans.size() != static_cast<std::size_t>(level.positions))
            return shapeError(fmt::format("{} spans for {} positions", level.spans.size(), level.positions),
                              "spans");
        for (std::size_t i = 0; i < level.spans.size(); ++i)
            if (const Span span = level.spans[i]; span.begin > span.end || span.end > below)
                return shapeError(fmt::format("{} {} is {} to {} of {} positions", unitName(level.unit), i,
                                              span.begin, span.end, below),
                                  "spans");
        return {};
    }

    /// The frames that are there of a tensor with this shape after the steps. Empty if it may be missing.
    template <class T>
    Result<std::span<const T>> values(const std::string& name, const char* dtype,
                                      std::vector<std::int64_t> row) {
        const TensorView* tensor = file_.find(name);
        if (tensor == nullptr) return std::span<const T>();
        row.insert(row.begin(), room_);
        if (tensor->dtype != dtype || tensor->shape != row)
            return shapeError(fmt::format("expected {} [{}]", dtype, fmt::join(row, ", ")), name);
        return tensor->as<T>().first(
            static_cast<std::size_t>(tensor->elements() / std::max<std::int64_t>(1, room_) * steps_));
    }
    template <class T>
    Status plain(const std::string& name, const char* dtype, std::vector<std::int64_t> row,
                 std::vector<T>& out) {
        KURVE_TRY(const auto found, values<T>(name, dtype, std::move(row)));
        out.assign(found.begin(), found.end());
        return {};
    }
    Status probabilities(const std::string& name, std::vector<std::int64_t> row, std::vector<float>& out) {
        KURVE_TRY(const auto codes, values<std::uint16_t>(name, "U16", std::move(row)));
        out.resize(codes.size());
        std::transform(codes.begin(), codes.end(), out.begin(),
                       [](std::uint16_t code) { return static_cast<float>(code / 65535.0); });
        return {};
    }

    Status readFrames() {
        for (const char* name : {"t", "log_snr", "outer", "inner"})
            if (file_.find(name) == nullptr) return error("trace.missing", "tensor is missing", name);
        const auto& shape = file_.find("t")->shape;
        if (shape.size() != 1 || shape[0] > kMost) return shapeError("expected [steps]", "t");
        room_ = shape[0];
        steps_ = frames_.value_or(room_);
        if (steps_ > room_)
            return shapeError(fmt::format("{} of {} frames", steps_, room_), detail::kCounter);
        Trace& top = levels_.front();
        KURVE_CHECKED(plain("t", "F64", {}, top.t));
        KURVE_CHECKED(plain("log_snr", "F64", {}, top.logSnr));
        KURVE_CHECKED(plain("outer", "I32", {}, top.outer));
        KURVE_CHECKED(plain("inner", "I32", {}, top.inner));
        const auto outside = [](const std::vector<std::int32_t>& axis, int length) {
            return std::any_of(axis.begin(), axis.end(),
                               [&](std::int32_t i) { return i < 0 || i >= length; });
        };
        if (outside(top.outer, outerLength_)) return shapeError("an index is outside the axis", "outer");
        if (outside(top.inner, innerLength_)) return shapeError("an index is outside the axis", "inner");
        for (Trace& level : levels_) {
            level.steps = static_cast<int>(steps_);
            level.outerLength = outerLength_;
            level.t = top.t;
            level.logSnr = top.logSnr;
            level.outer = top.outer;
            level.inner = top.inner;
        }
        return {};
    }

    Status readLevel(Trace& level) {
        const std::int64_t n = level.positions, k = level.topK;
        const std::string prefix = detail::prefixOf(level.unit);
        KURVE_CHECKED(plain(prefix + "tokens", "U32", {n}, level.tokens));
        KURVE_CHECKED(plain(prefix + "state", "U8", {n}, level.state));
        for (const auto state : level.state)
            if (state > static_cast<std::uint8_t>(TokenState::Pad))
                return shapeError(fmt::format("unknown token state {}", state), prefix + "state");
        KURVE_CHECKED(probabilities(prefix + "confidence", {n}, level.confidence));
        KURVE_CHECKED(plain(prefix + "entropy", "F32", {n}, level.entropy));
        KURVE_CHECKED(plain(prefix + "margin", "F32", {n}, level.margin));
        KURVE_CHECKED(plain(prefix + "top_ids", "U32", {n, k}, level.topIds));
        KURVE_CHECKED(probabilities(prefix + "top_prob", {n, k}, level.topProbability));
        if (level.topIds.size() != level.topProbability.size())
            return error("trace.missing", "candidates need ids and probabilities",
                         prefix + (level.topIds.empty() ? "top_ids" : "top_prob"));
        return readTexts(level, prefix + "texts");
    }

    Status readTexts(Trace& level, const std::string& name) {
        const TensorView* tensor = file_.find(name);
        if (tensor == nullptr) return {};
        if (tensor->dtype != "U8" || tensor->shape.size() != 1)
            return shapeError("expected U8 [bytes]", name);
        std::string_view rest(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
        rest = rest.substr(0, rest.find('\0'));  // a growing file's are followed by room for more
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            const auto entry = jsonDeeperThan(line, 2) ? json() : json::parse(line, nullptr, false);
            const bool fits = entry.is_array() && entry.size() == 2 && entry[0].is_number_unsigned() &&
                              entry[0].get<std::uint64_t>() < kNoToken && entry[1].is_string();
            // A growing file's last line may be half there.
            if (!fits && frames_ && rest.empty()) return {};
            if (!fits) return shapeError("a line is not [id, text]", name);
            level.tokenTexts[entry[0].get<std::uint32_t>()] = entry[1].get<std::string>();
        }
        return {};
    }

    Status readBlocks() {
        for (const auto& [full, tensor] : file_.tensors()) {
            if (detail::isFrameTensor(full)) continue;
            const Unit unit = detail::unitOf(full);
            const auto level = std::find_if(levels_.begin(), levels_.end(),
                                            [&](const Trace& one) { return one.unit == unit; });
            if (level == levels_.end()) return shapeError("belongs to no level", full);
            const std::string name = full.substr(detail::prefixOf(unit).size());
            if (!detail::isReserved(name)) KURVE_CHECKED(readBlock(*level, name, tensor, full));
        }
        return {};
    }

    Status readBlock(Trace& level, const std::string& name, const TensorView& tensor,
                     const std::string& full) {
        Block block{tensor.shape, {}, tensor.dtype == "F16"};
        std::size_t count = static_cast<std::size_t>(tensor.elements());
        if (!isConstant(name)) {
            if (tensor.shape.empty() || tensor.shape[0] != room_)
                return shapeError(fmt::format("expected {} steps", room_), full);
            count = static_cast<std::size_t>(tensor.elements() / std::max<std::int64_t>(1, room_) * steps_);
            block.shape[0] = steps_;
        }
        if (tensor.dtype == "F32") {
            const auto data = tensor.as<float>().first(count);
            block.data.assign(data.begin(), data.end());
        } else if (tensor.dtype == "F16") {
            const auto data = tensor.as<std::uint16_t>().first(count);
            block.data.resize(count);
            std::transform(data.begin(), data.end(), block.data.begin(), store::fromHalf);
        } else {
            return shapeError("expected F16 or F32, got " + tensor.dtype, full);
        }
        level.blocks.emplace(name, std::move(block));
        return {};
    }

    const store::SafetensorsFile& file_;
    std::string name_;
    std::map<std::string, std::string> meta_;
    std::vector<Trace> levels_;  ///< coarsest first
    int outerLength_ = 1, innerLength_ = 1;
    std::optional<std::int64_t> frames_;  ///< of a file that is still being written
    std::int64_t room_ = 0, steps_ = 0;
};

}  // namespace

Result<Trace> readTrace(const std::filesystem::path& file) {
    KURVE_TRY(const auto opened, store::SafetensorsFile::open(file));
    return Reader(*opened, file.string()).read();
}

Result<Trace> readRunTrace(const std::filesystem::path& runFolder, const std::string& name) {
    KURVE_TRY(const store::RunFile named, store::RunFile::parse(name));
    KURVE_TRY(const std::filesystem::path file, named.in(runFolder));
    return readTrace(file);
}

}  // namespace kurve::trace
