#include "core/store/detail/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kurve::store::detail {

void applyMarks(Database& db, std::map<std::string, RunEntry>& entries) {
    for (auto& [id, entry] : entries) entry.summary.name = entry.runName;
    std::set<int> styles;  // two runs may say the same where marks of two indexes came together
    Statement row = db.prepare(
        "SELECT run, name, tags, notes, starred, trashed, ifnull(style, -1) FROM marks ORDER BY run");
    row.each([&] {
        const auto found = entries.find(row.text(0));
        if (found == entries.end()) return;
        RunSummary& run = found->second.summary;
        if (const auto name = row.text(1); !name.empty()) run.name = name;
        run.tags = listOf(row.text(2));
        run.notes = row.text(3);
        run.starred = row.integer(4) != 0;
        run.trashed = row.integer(5) != 0;
        const int style = static_cast<int>(row.integer(6));
        run.style = styles.insert(style).second ? style : -1;
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

namespace {

/// By run; the first of two that say the same has it.
std::map<std::string, int> stylesOf(Database& db) {
    std::map<std::string, int> styles;
    std::set<int> taken;
    Statement row = db.prepare("SELECT run, style FROM marks WHERE style IS NOT NULL ORDER BY run");
    row.each([&] {
        const int style = static_cast<int>(row.integer(1));
        if (taken.insert(style).second) styles.emplace(row.text(0), style);
    });
    return styles;
}

void setStyle(Database& db, const std::string& run, int style) {
    db.prepare("INSERT OR IGNORE INTO marks(run) VALUES(?1)").run(run);
    db.prepare("UPDATE marks SET style = ?2 WHERE run = ?1").run(run, style);
}

}  // namespace

void assignStyles(Database& db, const std::set<std::string>& present) {
    Transaction transaction(db);
    auto styles = stylesOf(db);
    std::erase_if(styles, [&](const auto& one) { return !present.contains(one.first); });
    std::set<int> taken;
    for (const auto& [run, style] : styles) taken.insert(style);
    int next = 0;
    Statement release = db.prepare("UPDATE marks SET style = NULL WHERE style = ?1");
    for (const std::string& run : present) {
        if (styles.contains(run)) continue;
        while (taken.contains(next)) ++next;
        release.run(next);
        setStyle(db, run, next++);
    }
    transaction.commit();
}

void assignFirstStyles(Database& db, std::span<const std::string> runs) {
    Transaction transaction(db);
    for (int position = 0; const std::string& run : runs) {
        const auto styles = stylesOf(db);
        const auto old = styles.find(run);
        for (const auto& [holder, style] : styles)
            if (style == position && old != styles.end()) setStyle(db, holder, old->second);
        setStyle(db, run, position++);
    }
    transaction.commit();
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
