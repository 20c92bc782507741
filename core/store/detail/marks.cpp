#include "core/store/detail/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kurve::store::detail {

void applyMarks(Database& db, std::map<std::string, RunEntry>& entries) {
    for (auto& [id, entry] : entries) entry.summary.name = entry.runName;
    Statement row = db.prepare("SELECT run, name, tags, notes, starred, trashed FROM marks");
    row.each([&] {
        const auto found = entries.find(row.text(0));
        if (found == entries.end()) return;
        RunSummary& run = found->second.summary;
        if (const auto name = row.text(1); !name.empty()) run.name = name;
        run.tags = listOf(row.text(2));
        run.notes = row.text(3);
        run.starred = row.integer(4) != 0;
        run.trashed = row.integer(5) != 0;
    });
}

std::string changeMark(Database& db, const std::string& run, const char* column,
                       const std::function<std::string(const std::string&)>& change) {
    Transaction transaction(db);
    db.prepare("INSERT OR IGNORE INTO marks(run) VALUES(?1)").run(run);
    std::string value;
    Statement read = db.prepare(fmt::format("SELECT {} FROM marks WHERE run = ?1", column));
    read.each([&] { value = read.text(0); }, run);
    value = change(value);
    db.prepare(fmt::format("UPDATE marks SET {} = ?2 WHERE run = ?1", column)).run(run, value);
    transaction.commit();
    return value;
}

std::string changedTags(const std::string& tags, const std::vector<std::string>& added,
                        const std::vector<std::string>& removed) {
    std::vector<std::string> now = listOf(tags);
    const auto has = [](const auto& list, const std::string& tag) {
        return std::find(list.begin(), list.end(), tag) != list.end();
    };
    std::erase_if(now, [&](const std::string& tag) { return has(removed, tag); });
    for (const std::string& tag : added)
        if (!has(now, tag)) now.push_back(tag);
    return nlohmann::json(now).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kurve::store::detail
