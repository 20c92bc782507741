#include "core/wire/message.h"

#include <fmt/format.h>

#include "core/base/json_depth.h"
#include "core/base/text.h"

namespace kurve::wire {
namespace {

constexpr int kMaxDepth = 64;

Error tooLong() {
    return requestError("wire.too_long", fmt::format("a line is longer than {} bytes", kMaxLineBytes))
        .fix("send large things as files");
}

/// A short, printable excerpt of a bad line for the message.
std::string excerpt(std::string_view line) {
    std::string text(line.substr(0, 60));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    return text;
}

std::string takeText(nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    std::string text = found->is_string() ? found->get<std::string>() : found->is_null() ? "" : found->dump();
    object.erase(found);
    return text;
}

}  // namespace

std::string encode(const Message& message) {
    nlohmann::json object = message.body.is_object() ? message.body : nlohmann::json::object();
    object["v"] = kProtocol;
    object["type"] = message.type;
    if (!message.id.empty()) object["id"] = message.id;
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Message> decode(std::string_view line) {
    if (line.size() > kMaxLineBytes) return tooLong();
    const bool text = !firstInvalidUtf8(line) && !jsonDeeperThan(line, kMaxDepth);
    auto object = text ? nlohmann::json::parse(line.begin(), line.end(), nullptr, false)
                       : nlohmann::json(nlohmann::json::value_t::discarded);
    if (!object.is_object())
        return requestError("wire.syntax", "not a JSON object on one line: " + excerpt(line));
    const auto version = object.find("v");
    if (version == object.end() || *version != kProtocol)
        return requestError("wire.version",
                            fmt::format("speaks protocol {}, this build speaks {}",
                                        version == object.end() ? "?" : excerpt(version->dump()), kProtocol))
            .fix("use kurve and kurve-studio of the same version");
    const auto type = object.find("type");
    if (type == object.end() || !type->is_string() || type->get_ref<const std::string&>().empty())
        return requestError("wire.no_type", "a message without a type: " + excerpt(line));
    Message message;
    message.type = takeText(object, "type");
    message.id = takeText(object, "id");
    object.erase("v");
    message.body = std::move(object);
    return message;
}

std::vector<Result<Message>> LineReader::feed(std::string_view bytes) {
    std::vector<Result<Message>> out;
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const bool complete = end != std::string_view::npos;
        std::string_view chunk = bytes.substr(0, end);
        bytes.remove_prefix(complete ? end + 1 : bytes.size());
        if (!skipping_ && rest_.size() + chunk.size() > kMaxLineBytes) {
            out.emplace_back(tooLong());
            skipping_ = true;
            rest_ = {};
        }
        if (!skipping_) rest_ += chunk;
        if (!complete) continue;
        if (!skipping_ && !trim(rest_).empty()) out.push_back(decode(rest_));
        skipping_ = false;
        rest_.clear();
    }
    return out;
}

}  // namespace kurve::wire
