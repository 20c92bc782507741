#include "core/trace/detail/trace_layers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace kurve::trace::detail {
namespace {

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
    return std::as_bytes(std::span<const T>(values));
}

std::uint16_t probabilityCode(float value) {
    const double code = static_cast<double>(value) * 65535;
    return std::isnan(code) ? std::uint16_t{0}
                            : static_cast<std::uint16_t>(std::lround(std::clamp(code, 0.0, 65535.0)));
}

bool fitsHalf(const Block& block) {
    return block.half && std::all_of(block.data.begin(), block.data.end(),
                                     [](float v) { return !std::isfinite(v) || std::fabs(v) <= 65504.0F; });
}

std::size_t countOf(const std::vector<std::int64_t>& shape) {
    return static_cast<std::size_t>(
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

}  // namespace

std::string prefixOf(Unit unit) {
    return unit == Unit::Token ? std::string() : std::string(unitName(unit)) + '/';
}

Unit unitOf(const std::string& tensor) {
    for (const Unit unit : {Unit::Chunk, Unit::Sentence})
        if (tensor.starts_with(prefixOf(unit))) return unit;
    return Unit::Token;
}

bool isFrameTensor(const std::string& tensor) {
    static const std::set<std::string> kFrame{"t", "log_snr", "outer", "inner"};
    return kFrame.contains(tensor);
}

bool isReserved(const std::string& name) {
    static const std::set<std::string> kLayers{"tokens", "state",   "confidence", "entropy",
                                               "margin", "top_ids", "top_prob",   "texts"};
    return kLayers.contains(name) || isFrameTensor(name) || unitOf(name) != Unit::Token;
}

TraceTensors::TraceTensors(const Trace& trace, const std::set<std::string>& wide) {
    addFrames(trace);
    for (const Trace* level = &trace; level != nullptr; level = level->below.get()) {
        KURVE_CHECK(level->steps == trace.steps, "{} steps of {}s, but {} frames", level->steps,
                    unitName(level->unit), trace.steps);
        KURVE_CHECK(level->below == nullptr || level->unit > level->below->unit, "a {} below a {}",
                    unitName(level->below->unit), unitName(level->unit));
        KURVE_CHECK(
            level->spans.size() == (level->below == nullptr ? 0 : static_cast<std::size_t>(level->positions)),
            "{} spans for {} positions", level->spans.size(), level->positions);
        addLevel(*level, wide);
    }
}

void TraceTensors::addFrames(const Trace& trace) {
    const std::int64_t s = trace.steps;
    const auto steps = static_cast<std::size_t>(s);
    KURVE_CHECK(trace.t.size() == steps && trace.logSnr.size() == steps, "t, log_snr: {}, {} of {} steps",
                trace.t.size(), trace.logSnr.size(), steps);
    frames_["t"] = {"F64", {s}, bytesOf(trace.t)};
    frames_["log_snr"] = {"F64", {s}, bytesOf(trace.logSnr)};
    const auto add = [&](const char* name, const std::vector<std::int32_t>& axis, int first, int increment) {
        auto& own = axes_.emplace_back(axis);
        for (int i = 0; own.size() < steps && axis.empty(); ++i) own.push_back(first + i * increment);
        KURVE_CHECK(own.size() == steps, "{}: {} of {} steps", name, own.size(), steps);
        frames_[name] = {"I32", {s}, bytesOf(own)};
    };
    add("outer", trace.outer, 0, 0);
    add("inner", trace.inner, 0, 1);
}

void TraceTensors::addLevel(const Trace& level, const std::set<std::string>& wide) {
    const std::int64_t s = level.steps, n = level.positions, k = level.topK;
    const std::string prefix = prefixOf(level.unit);
    const auto add = [&](const char* name, const char* dtype, std::vector<std::int64_t> shape,
                         const auto& values) {
        if (values.empty() && countOf(shape) > 0) return;
        KURVE_CHECK(values.size() == countOf(shape), "{}: got {} values, expected {}", name, values.size(),
                    countOf(shape));
        frames_[prefix + name] = {dtype, std::move(shape), bytesOf(values)};
    };
    add("tokens", "U32", {s, n}, level.tokens);
    add("state", "U8", {s, n}, level.state);
    add("entropy", "F32", {s, n}, level.entropy);
    add("margin", "F32", {s, n}, level.margin);
    add("top_ids", "U32", {s, n, k}, level.topIds);
    addProbabilities(prefix + "confidence", {s, n}, level.confidence);
    addProbabilities(prefix + "top_prob", {s, n, k}, level.topProbability);
    for (const auto& [name, block] : level.blocks) {
        KURVE_CHECK(!isReserved(name), "block named like a layer: {}", name);
        const bool constant = isConstant(name);
        KURVE_CHECK(constant || (!block.shape.empty() && block.shape[0] == s), "{}: not of {} steps", name,
                    s);
        KURVE_CHECK(block.data.size() == countOf(block.shape), "{}: got {} values, expected {}", name,
                    block.data.size(), countOf(block.shape));
        addBlock(prefix + name, block, wide, constant ? constants_ : frames_);
    }
}

void TraceTensors::addProbabilities(const std::string& name, std::vector<std::int64_t> shape,
                                    const std::vector<float>& values) {
    if (values.empty() && countOf(shape) > 0) return;
    KURVE_CHECK(values.size() == countOf(shape), "{}: got {} values, expected {}", name, values.size(),
                countOf(shape));
    auto& codes = codes_.emplace_back(values.size());
    std::transform(values.begin(), values.end(), codes.begin(), probabilityCode);
    frames_[name] = {"U16", std::move(shape), bytesOf(codes)};
}

void TraceTensors::addBlock(const std::string& name, const Block& block, const std::set<std::string>& wide,
                            Named& into) {
    const bool fits = fitsHalf(block);
    if (!fits && block.half && !wide.contains(name)) tooLarge_.insert(name);
    if (!fits || wide.contains(name)) {
        into[name] = {"F32", block.shape, bytesOf(block.data)};
        return;
    }
    auto& codes = codes_.emplace_back(block.data.size());
    std::transform(block.data.begin(), block.data.end(), codes.begin(), store::toHalf);
    into[name] = {"F16", block.shape, bytesOf(codes)};
}

std::string levelsJson(const Trace& trace) {
    auto levels = nlohmann::json::array();
    for (const Trace* level = &trace; level != nullptr; level = level->below.get()) {
        nlohmann::json one{
            {"unit", unitName(level->unit)}, {"positions", level->positions}, {"top_k", level->topK}};
        for (const Span& span : level->spans) one["spans"].push_back({span.begin, span.end});
        levels.push_back(std::move(one));
    }
    return levels.dump();
}

std::string axesJson(int outerLength, int innerLength) {
    return nlohmann::json{{"position", outerLength}, {"denoising_step", innerLength}}.dump();
}

}  // namespace kurve::trace::detail
