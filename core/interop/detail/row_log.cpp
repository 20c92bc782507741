#include "core/interop/detail/row_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>

#include "core/base/text.h"

namespace kurve::interop::detail {
namespace {

constexpr int kMaxNamedLines = 20;

/// Lower case, blanks as _, without what leads.
std::string plainName(std::string_view name) {
    std::string plain(trim(name));
    for (char& c : plain) c = c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain.substr(std::min(plain.find_first_not_of('_'), plain.size()));
}

}  // namespace

Role roleOf(std::string_view name) {
    static const std::map<std::string, Role> kRoles{{"step", Role::Step},      {"global_step", Role::Step},
                                                    {"wall", Role::Wall},      {"wall_time", Role::Wall},
                                                    {"timestamp", Role::Wall}, {"run", Role::Run},
                                                    {"tag", Role::Tag},        {"metric", Role::Tag},
                                                    {"name", Role::Tag},       {"value", Role::Value}};
    const auto found = kRoles.find(plainName(name));
    return found == kRoles.end() ? Role::Metric : found->second;
}

std::optional<double> numberOf(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || text.empty()) return std::nullopt;
    if (code == std::errc::result_out_of_range) {  // too large or too small for a double: as strtod gives it
        number = std::strtod(std::string(text).c_str(), nullptr);
        return number;
    }
    if (code != std::errc()) return std::nullopt;
    return number;
}

std::optional<double> timeOf(double seconds) {
    return std::abs(seconds) < 1e11 ? std::optional(seconds) : std::nullopt;
}

std::optional<double> timeOf(std::string_view text) {
    if (const auto number = numberOf(text)) return timeOf(*number);
    const std::string copy(trim(text));
    std::tm parts{};
    const char* rest = ::strptime(copy.c_str(), "%Y-%m-%d", &parts);
    if (rest == nullptr || (*rest != 'T' && *rest != ' ')) return std::nullopt;
    rest = ::strptime(rest + 1, "%H:%M:%S", &parts);
    if (rest == nullptr) return std::nullopt;
    double seconds = static_cast<double>(::timegm(&parts));
    if (*rest == '.') {
        char* end = nullptr;
        seconds += std::strtod(rest, &end);
        rest = end;
    }
    const std::string_view zone(rest);
    if (zone.empty() || zone == "Z" || zone == "+00:00") return seconds;
    return std::nullopt;
}

std::optional<std::int64_t> stepOf(double number) {
    constexpr double kLimit = 9007199254740992.0;  // 2^53: beyond it a double is no exact count
    if (!(std::abs(number) <= kLimit) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

Result<std::string_view> plainText(std::string_view bytes, const std::filesystem::path& source) {
    const auto error = [&](const char* problem, const char* remedy) {
        return requestError("import.encoding", problem).in(source.string()).fix(remedy);
    };
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        return error("is UTF-16 text", "save it as UTF-8");
    if (bytes.find('\r') != bytes.npos && bytes.find('\n') == bytes.npos)
        return error("its lines end with CR alone", "save it with LF or CR LF line ends");
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    return bytes;
}

std::string excerpt(std::string_view text, std::size_t most) {
    const std::size_t broken = firstInvalidUtf8(text).value_or(text.size());
    std::string shown;
    for (std::size_t i = 0; i < text.size() && shown.size() < most; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < ' ' || byte == 0x7F || i >= broken)
            shown += fmt::format("\\x{:02X}", byte);
        else
            shown += text[i];
    }
    while (firstInvalidUtf8(shown)) shown.pop_back();  // cut within a character
    return shown;
}

void RowLog::addText(const Row& row, const std::string& metric, std::string_view text) {
    BadText& bad = texts_[metric];
    if (bad.count++ > 0) return;
    bad.line = row.line;
    bad.text = excerpt(text);
}

Status RowLog::badLine(int line, const std::string& field, const std::string& problem) {
    if (!options_.skipBad)
        return requestError("import.line", problem)
            .in(source_.string(), line)
            .at(field)
            .fix("fix the line, or skip it with --skip-bad");
    if (++skipped_ <= kMaxNamedLines)
        note(fmt::format("line {} left out: {}{}", line, field.empty() ? "" : field + ": ", problem));
    return {};
}

Status RowLog::checkTexts() {
    for (const auto& [metric, bad] : texts_) {
        if (!numeric_.contains(metric)) {
            const bool comma = bad.text.find(',') != std::string::npos;
            note(fmt::format("\"{}\" has no numbers{}; left out", metric,
                             comma ? ", such as " + bad.text + ", which needs a decimal point" : ""));
            continue;
        }
        KURVE_CHECKED(badLine(bad.line, metric, fmt::format("\"{}\" is not a number", bad.text)));
        if (bad.count > 1) note(fmt::format("\"{}\" has {} such texts", metric, bad.count));
    }
    return {};
}

Error RowLog::nothingRead() const {
    Error error = requestError("import.empty", "no scalars").in(source_.string());
    error.remedy = "write a line for every step, with a number for every metric";
    if (texts_.empty()) return error;
    const auto& [metric, bad] = *texts_.begin();
    error.message += fmt::format(": \"{}\" is text throughout, such as \"{}\"", metric, bad.text);
    const bool comma = bad.text.find(',') != std::string::npos;
    error.remedy =
        comma ? "write numbers with a decimal point, 1.5 for 1,5" : "a metric needs a column of numbers";
    return error;
}

Result<std::vector<ScalarLog>> RowLog::finish(const std::string& hash) && {
    KURVE_CHECKED(checkTexts());
    if (skipped_ > kMaxNamedLines) note(fmt::format("{} lines were left out", skipped_));
    std::vector<ScalarLog> logs;
    for (auto& [run, log] : logs_) {
        log.name = run;
        log.files[source_.filename().string()] = hash;
        log.notes = notes_;
        log.sort();
        logs.push_back(std::move(log));
    }
    if (logs.empty()) return nothingRead();
    return logs;
}

}  // namespace kurve::interop::detail
