#include "views/runs/data_badge.h"

#include <sys/stat.h>

#include <QStringList>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "views/common/form/controls.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

namespace fs = std::filesystem;

/// Size and time (seconds, nanoseconds) of a file.
using Stamp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// Empty if there is none.
std::optional<Stamp> stampOf(const fs::path& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return std::nullopt;
    return Stamp(info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// SHA-256 by path for as long as size and time stay. Any thread.
class HashCache {
public:
    std::optional<std::string> of(const fs::path& file) {
        const auto stamp = stampOf(file);
        if (!stamp) return std::nullopt;
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = known_.find(file); known != known_.end() && known->second.first == *stamp)
                return known->second.second;
        }
        const auto hash = sha256File(file);
        if (!hash) return std::nullopt;
        const std::lock_guard lock(mutex_);
        known_[file] = {*stamp, *hash};
        return *hash;
    }

private:
    std::mutex mutex_;
    std::map<fs::path, std::pair<Stamp, std::string>> known_;
};

HashCache& hashes() {
    static HashCache cache;
    return cache;
}

QString listed(const std::vector<std::string>& files) {
    QStringList names;
    for (const std::string& file : files) names << QString::fromStdString(file).toHtmlEscaped();
    return names.join(QStringLiteral(", "));
}

}  // namespace

DataCheck checkData(const DataRecord& record) {
    DataCheck result;
    result.known = !record.corpora.empty();
    for (const auto& [file, recorded] : record.corpora) {
        const auto now = hashes().of(record.project / file);
        if (!now)
            result.missing.push_back(file);
        else if (*now != recorded)
            result.changed.push_back(file);
    }
    return result;
}

DataBadge::DataBadge(QWidget* parent) : QLabel(parent) {
    describe(this, "inspector.data", {.wraps = true});
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    hide();
    connect(&files_, &QFileSystemWatcher::fileChanged, this, &DataBadge::check);
    connect(&files_, &QFileSystemWatcher::directoryChanged, this, &DataBadge::check);
    onThemeChange(this, [this] { show(result_); });
}

void DataBadge::setRecord(const DataRecord& record) {
    if (std::exchange(record_, record) == record) return;
    show({});
    check();
}

void DataBadge::check() {
    if (const auto watched = files_.files() + files_.directories(); !watched.isEmpty())
        files_.removePaths(watched);
    for (const auto& [file, hash] : record_.corpora) {
        const fs::path path = record_.project / file;
        if (!files_.addPath(QString::fromStdString(path.string())))  // missing: it may come back
            files_.addPath(QString::fromStdString(path.parent_path().string()));
    }
    reading_.run([record = record_] { return checkData(record); },
                 [this](const DataCheck& result) { show(result); });
}

void DataBadge::show(const DataCheck& result) {
    const bool differs = !(std::exchange(result_, result) == result);
    setVisible(!result.changed.empty() || !result.missing.empty());
    QStringList lines;
    const QString bad = QStringLiteral("<b style=\"color:%1\">⚠ %2</b> %3");
    if (!result.changed.empty())
        lines << bad.arg(theme().bad.name(), tr("Data changed since this run:"), listed(result.changed));
    if (!result.missing.empty())
        lines << bad.arg(theme().bad.name(), tr("Data missing:"), listed(result.missing));
    setText(lines.join(QStringLiteral("<br>")));
    setToolTip(tr(
        "The file no longer has the hash that the run recorded: restore it to resume or reproduce the run. "
        "`kurve verify` lists the hashes."));
    if (differs) Q_EMIT checked();
}

}  // namespace kurve::views
