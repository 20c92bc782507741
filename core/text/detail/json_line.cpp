#include "core/text/detail/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_depth.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;

constexpr int kJsonLineDepth = 16;
constexpr const char *kSourceMember = "src", *kTargetMember = "trg";

Error jsonLineError(const std::string& what) {
    return requestError("data.json", what).fix(R"(write {"src": "…", "trg": "…"} in each line)");
}

Result<std::string> memberText(const json& object, const char* key) {
    const auto member = object.find(key);
    if (member == object.end()) return jsonLineError("the object has no such member").at(key);
    if (!member->is_string())
        return jsonLineError(fmt::format("is of type {}, not a text", member->type_name())).at(key);
    auto text = member->get<std::string>();
    if (text.find('\0') != std::string::npos)
        return requestError("data.nul", "has the character NUL, which no text has")
            .at(key)
            .fix("remove \\u0000");
    const auto isBreak = [](char c) { return c >= '\t' && c <= '\r'; };
    std::replace_if(text.begin(), text.end(), isBreak, ' ');
    return text;
}

}  // namespace

Result<Pair> readJsonLine(std::string_view line, bool withSource) {
    if (jsonDeeperThan(line, kJsonLineDepth)) return jsonLineError("the line is nested too deeply");
    const json object = json::parse(line, nullptr, false);
    if (object.is_discarded()) return jsonLineError("the line is not JSON");
    if (!object.is_object())
        return jsonLineError(fmt::format("the line is of type {}, not an object", object.type_name()));
    Pair pair;
    if (withSource) {
        KURVE_TRY(pair.source, memberText(object, kSourceMember));
    }
    KURVE_TRY(pair.target, memberText(object, kTargetMember));
    return pair;
}

}  // namespace kurve::text::detail
