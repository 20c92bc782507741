#include "core/trace/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_depth.h"
#include "core/store/run_file.h"
#include "core/store/safetensors.h"

namespace kurve::trace {
namespace {

using store::TensorView;

constexpr const char* kFormat = "kurve.trace/1";
const std::set<std::string> kOwnTensors{"tokens",  "state",    "confidence", "entropy", "margin",
                                        "top_ids", "top_prob", "t",          "log_snr"};

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span<const T>(values));
}

struct Range {
    double low = 0, high = 1;
};

Range rangeOf(const std::vector<float>& values) {
    Range range{0, 0};  // zero belongs to every range, so that it is exact
    for (const float v : values) {
        if (!std::isfinite(v)) continue;
        range.low = std::min(range.low, static_cast<double>(v));
        range.high = std::max(range.high, static_cast<double>(v));
    }
    return range;
}

std::vector<std::uint16_t> quantise(const std::vector<float>& values, Range range) {
    std::vector<std::uint16_t> out;
    out.reserve(values.size());
    const double scale = range.high > range.low ? 65535.0 / (range.high - range.low) : 0.0;
    for (const float v : values) {
        double code = (static_cast<double>(v) - range.low) * scale;
        if (std::isnan(code)) code = 0;
        out.push_back(static_cast<std::uint16_t>(std::lround(std::clamp(code, 0.0, 65535.0))));
    }
    return out;
}

std::vector<float> restore(std::span<const std::uint16_t> codes, Range range) {
    std::vector<float> out;
    out.reserve(codes.size());
    const double unit = (range.high - range.low) / 65535.0;
    for (const auto code : codes) out.push_back(static_cast<float>(range.low + code * unit));
    return out;
}

/// Owns what the tensor views of a file being written point to.
class Parts {
public:
    template <class T>
    void add(const std::string& name, const char* dtype, std::vector<std::int64_t> shape,
             std::vector<T> values) {
        const auto& owned = own(std::move(values));
        tensors_[name] = {dtype, std::move(shape), bytesOf(owned)};
    }
    void addBlock(const std::string& name, const Block& block) {
        const auto fits = [](float v) { return !std::isfinite(v) || std::fabs(v) <= 65504.0f; };
        if (!block.half || !std::all_of(block.data.begin(), block.data.end(), fits)) {
            tensors_[name] = {"F32", block.shape, bytesOf(block.data)};
            return;
        }
        std::vector<std::uint16_t> half(block.data.size());
        std::transform(block.data.begin(), block.data.end(), half.begin(), store::toHalf);
        add(name, "F16", block.shape, std::move(half));
    }
    [[nodiscard]] std::map<std::string, TensorView>& tensors() { return tensors_; }

private:
    std::vector<std::uint16_t>& own(std::vector<std::uint16_t> values) {
        return owned_.emplace_back(std::move(values));
    }

    std::map<std::string, TensorView> tensors_;
    std::vector<std::vector<std::uint16_t>> owned_;  // a moved vector keeps its buffer, so views stay valid
};

void checkSizes(const Trace& trace) {
    const auto cells = static_cast<std::size_t>(trace.steps) * static_cast<std::size_t>(trace.positions);
    const auto steps = static_cast<std::size_t>(trace.steps);
    const auto expect = [](std::size_t got, std::size_t want, const char* name) {
        KURVE_CHECK(got == want, "{}: got {} values, expected {}", name, got, want);
    };
    expect(trace.tokens.size(), cells, "tokens");
    expect(trace.state.size(), cells, "state");
    expect(trace.confidence.size(), cells, "confidence");
    expect(trace.entropy.size(), cells, "entropy");
    expect(trace.margin.size(), cells, "margin");
    expect(trace.topIds.size(), cells * kTopCandidates, "topIds");
    expect(trace.topProbability.size(), cells * kTopCandidates, "topProbability");
    expect(trace.t.size(), steps, "t");
    expect(trace.logSnr.size(), steps, "logSnr");
}

std::string tokenTextsJson(const Trace& trace) {
    auto texts = nlohmann::json::object();
    for (const auto& [id, text] : trace.tokenTexts) texts[std::to_string(id)] = text;
    return texts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Reads one file; every member that fails leaves the reason in the Status.
class Reader {
public:
    Reader(const store::SafetensorsFile& file, std::string name) : file_(file), name_(std::move(name)) {}

    Result<Trace> read() {
        KURVE_CHECKED(readMeta());
        KURVE_CHECKED(readSizes());
        KURVE_CHECKED(readCells());
        for (const auto& [name, tensor] : file_.tensors())
            if (!kOwnTensors.contains(name)) KURVE_CHECKED(readBlock(name, tensor));
        return std::move(trace_);
    }

private:
    [[nodiscard]] Error error(const char* code, std::string message, const std::string& field) const {
        return workError(code, std::move(message)).in(name_).at(field).fix("record the trace again");
    }

    Result<nlohmann::json> object(const char* key) {
        const auto found = trace_.meta.find(key);
        if (found == trace_.meta.end()) return nlohmann::json::object();
        const std::string& text = found->second;
        auto json = jsonDeeperThan(text, 4) ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
        if (!json.is_object()) return error("trace.shape", "is not a JSON object", key);
        trace_.meta.erase(found);
        return json;
    }

    Status readMeta() {
        trace_.meta = file_.metadata();
        const auto format = trace_.meta.find("format");
        if (format == trace_.meta.end())
            return error("trace.missing", "not a trace: no format in its metadata", "format");
        if (format->second != kFormat)
            return workError("trace.version",
                             "format '" + format->second + "', this build reads '" + kFormat + "'")
                .in(name_)
                .fix("open it with a newer Kurve");
        trace_.meta.erase(format);
        KURVE_TRY(const auto ranges, object("range"));
        for (const auto& [key, value] : ranges.items()) {
            if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
                return error("trace.shape", "range is not [low, high]", key);
            ranges_[key] = {value[0].get<double>(), value[1].get<double>()};
        }
        KURVE_TRY(const auto texts, object("pieces"));
        for (const auto& [key, value] : texts.items()) {
            std::uint32_t id = 0;
            const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
            if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() || !value.is_string())
                return error("trace.shape", "is not {id: text}", "pieces");
            trace_.tokenTexts[id] = value.get<std::string>();
        }
        return {};
    }

    Status readSizes() {
        const TensorView* tokens = file_.find("tokens");
        if (!tokens) return error("trace.missing", "tensor is missing", "tokens");
        const auto& shape = tokens->shape;
        if (shape.size() != 2 || shape[0] > INT32_MAX || shape[1] > INT32_MAX)
            return error("trace.shape", "expected [steps, positions]", "tokens");
        trace_.steps = static_cast<int>(shape[0]);
        trace_.positions = static_cast<int>(shape[1]);
        return {};
    }

    template <class T>
    Result<std::span<const T>> values(const char* name, const char* dtype, std::vector<std::int64_t> shape) {
        const TensorView* tensor = file_.find(name);
        if (!tensor) return error("trace.missing", "tensor is missing", name);
        if (tensor->dtype != dtype || tensor->shape != shape)
            return error("trace.shape", fmt::format("expected {} [{}]", dtype, fmt::join(shape, ", ")), name);
        return tensor->as<T>();
    }

    Status quantised(const char* name, std::vector<std::int64_t> shape, std::vector<float>& out) {
        KURVE_TRY(const auto codes, values<std::uint16_t>(name, "U16", std::move(shape)));
        out = restore(codes, ranges_.contains(name) ? ranges_[name] : Range{});
        return {};
    }

    template <class T>
    Status plain(const char* name, const char* dtype, std::vector<std::int64_t> shape, std::vector<T>& out) {
        KURVE_TRY(const auto found, values<T>(name, dtype, std::move(shape)));
        out.assign(found.begin(), found.end());
        return {};
    }

    Status readCells() {
        const std::int64_t s = trace_.steps, n = trace_.positions;
        KURVE_CHECKED(plain("tokens", "U32", {s, n}, trace_.tokens));
        KURVE_CHECKED(plain("state", "U8", {s, n}, trace_.state));
        for (const auto state : trace_.state)
            if (state > static_cast<std::uint8_t>(TokenState::Pad))
                return error("trace.shape", fmt::format("unknown token state {}", state), "state");
        KURVE_CHECKED(quantised("confidence", {s, n}, trace_.confidence));
        KURVE_CHECKED(quantised("entropy", {s, n}, trace_.entropy));
        KURVE_CHECKED(quantised("margin", {s, n}, trace_.margin));
        KURVE_CHECKED(plain("top_ids", "U32", {s, n, kTopCandidates}, trace_.topIds));
        KURVE_CHECKED(quantised("top_prob", {s, n, kTopCandidates}, trace_.topProbability));
        KURVE_CHECKED(plain("t", "F64", {s}, trace_.t));
        KURVE_CHECKED(plain("log_snr", "F64", {s}, trace_.logSnr));
        return {};
    }

    Status readBlock(const std::string& name, const TensorView& tensor) {
        Block block{tensor.shape, {}, tensor.dtype == "F16"};
        if (tensor.dtype == "F32") {
            const auto data = tensor.as<float>();
            block.data.assign(data.begin(), data.end());
        } else if (tensor.dtype == "F16") {
            const auto data = tensor.as<std::uint16_t>();
            block.data.resize(data.size());
            std::transform(data.begin(), data.end(), block.data.begin(), store::fromHalf);
        } else {
            return error("trace.shape", "expected F16 or F32, got " + tensor.dtype, name);
        }
        trace_.blocks.emplace(name, std::move(block));
        return {};
    }

    const store::SafetensorsFile& file_;
    std::string name_;
    std::map<std::string, Range> ranges_;
    Trace trace_;
};

}  // namespace

const Block* Trace::block(const std::string& name) const {
    const auto found = blocks.find(name);
    return found == blocks.end() ? nullptr : &found->second;
}

std::string Trace::metaText(const std::string& key) const {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
}

Result<std::string> writeTrace(const std::filesystem::path& file, const Trace& trace) {
    checkSizes(trace);
    const std::int64_t s = trace.steps, n = trace.positions;
    const Range entropy = rangeOf(trace.entropy), margin = rangeOf(trace.margin);
    Parts parts;
    parts.tensors() = {{"tokens", {"U32", {s, n}, bytesOf(trace.tokens)}},
                       {"state", {"U8", {s, n}, bytesOf(trace.state)}},
                       {"top_ids", {"U32", {s, n, kTopCandidates}, bytesOf(trace.topIds)}},
                       {"t", {"F64", {s}, bytesOf(trace.t)}},
                       {"log_snr", {"F64", {s}, bytesOf(trace.logSnr)}}};
    parts.add("confidence", "U16", {s, n}, quantise(trace.confidence, {}));
    parts.add("entropy", "U16", {s, n}, quantise(trace.entropy, entropy));
    parts.add("margin", "U16", {s, n}, quantise(trace.margin, margin));
    parts.add("top_prob", "U16", {s, n, kTopCandidates}, quantise(trace.topProbability, {}));
    for (const auto& [name, block] : trace.blocks) {
        KURVE_CHECK(!kOwnTensors.contains(name), "block named like a tensor of every trace: {}", name);
        parts.addBlock(name, block);
    }
    auto metadata = trace.meta;
    metadata["format"] = kFormat;
    metadata["pieces"] = tokenTextsJson(trace);
    metadata["range"] = nlohmann::json{{"confidence", {0.0, 1.0}},
                                       {"entropy", {entropy.low, entropy.high}},
                                       {"margin", {margin.low, margin.high}}}
                            .dump();
    return store::writeSafetensors(file, parts.tensors(), metadata);
}

Result<Trace> readTrace(const std::filesystem::path& file) {
    KURVE_TRY(const auto opened, store::SafetensorsFile::open(file));
    KURVE_TRY(Trace trace, Reader(*opened, file.string()).read());
    trace.file = file;
    return trace;
}

Result<Trace> readRunTrace(const std::filesystem::path& runFolder, const std::string& name) {
    KURVE_TRY(const store::RunFile named, store::RunFile::parse(name));
    KURVE_TRY(const std::filesystem::path file, named.in(runFolder));
    return readTrace(file);
}

}  // namespace kurve::trace
