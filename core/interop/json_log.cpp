#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/interop/detail/row_log.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using detail::Role;
using detail::RowLog;
using nlohmann::json;

constexpr int kMaxDepth = 64;

/// Python writes NaN, Infinity and -Infinity, which JSON lacks: they become texts.
std::string withQuotedSpecials(std::string_view line) {
    std::string out;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '\\' && i + 1 < line.size()) {
            out += c;
            out += line[++i];
            continue;
        }
        if (c == '"') quoted = !quoted;
        std::string_view special;
        if (!quoted)
            for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
                if (line.substr(i).starts_with(word)) special = word;
        if (special.empty()) {
            out += c;
        } else {
            out += '"' + std::string(special) + '"';
            i += special.size() - 1;
        }
    }
    return out;
}

class JsonLog {
public:
    JsonLog(const fs::path& source, const ReadOptions& options) : rows_(source, options) {}

    Status addLine(int number, std::string_view line, bool isCut) {
        if (jsonDeeperThan(line, kMaxDepth)) return rows_.badLine(number, "", "nested too deeply");
        const json object = json::parse(withQuotedSpecials(line), nullptr, false);
        if (object.is_discarded() && isCut) {
            rows_.note(fmt::format("line {} is cut off; read up to there", number));
            return {};
        }
        if (!object.is_object()) return rows_.badLine(number, "", "not a JSON object");
        RowLog::Row row;
        row.line = number;
        std::string problem, field;
        for (const auto& [key, value] : object.items())
            if (!takeRole(row, key, value)) field = key, problem = "not a step, time or run name";
        if (!problem.empty()) return rows_.badLine(number, field, problem);
        if (!row.step) return rows_.badLine(number, "step", "missing");
        for (const auto& [key, value] : object.items())
            if (!hasRole(key)) addValue(row, key, value);
        return {};
    }
    [[nodiscard]] RowLog& rows() { return rows_; }

private:
    static bool hasRole(const std::string& key) {
        const Role role = detail::roleOf(key);
        return role == Role::Step || role == Role::Wall || role == Role::Run;
    }

    static std::optional<double> number(const json& value) {
        if (value.is_number()) return value.get<double>();
        if (value.is_string()) return detail::numberOf(value.get_ref<const std::string&>());
        return std::nullopt;
    }

    static bool takeRole(RowLog::Row& row, const std::string& key, const json& value) {
        switch (detail::roleOf(key)) {
            case Role::Step: {
                const auto step = number(value);
                if (step) row.step = detail::stepOf(*step);
                return step && row.step;
            }
            case Role::Wall: {
                const auto wall = value.is_string()   ? detail::timeOf(value.get_ref<const std::string&>())
                                  : value.is_number() ? detail::timeOf(value.get<double>())
                                                      : std::nullopt;
                row.wall = wall.value_or(0);
                return wall.has_value() || value.is_null();
            }
            case Role::Run:
                if (value.is_string()) row.run = value.get<std::string>();
                return value.is_string();
            default:
                return true;
        }
    }

    void addValue(const RowLog::Row& row, const std::string& name, const json& value) {
        if (value.is_object()) {
            for (const auto& [key, inner] : value.items()) addValue(row, name + "/" + key, inner);
        } else if (const auto one = number(value)) {
            rows_.add(row, name, *one);
        } else if (!value.is_null()) {
            rows_.addText(row, name, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }

    RowLog rows_;
};

}  // namespace

Result<std::vector<ScalarLog>> readJsonLog(const fs::path& source, const ReadOptions& options) {
    KURVE_TRY(const std::string bytes, readFile(source, kCorpusBytes));
    KURVE_TRY(std::string_view rest, detail::plainText(bytes, source));
    JsonLog log(source, options);
    for (int number = 1; !rest.empty(); ++number) {
        const auto end = rest.find('\n');
        const std::string_view line = trim(rest.substr(0, end));
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (!line.empty()) KURVE_CHECKED(log.addLine(number, line, end == bytes.npos));
    }
    return std::move(log.rows()).finish(sha256(bytes));
}

}  // namespace kurve::interop
