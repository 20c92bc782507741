#include "views/runs/data_badge.h"

#include <sys/stat.h>

#include <QStringList>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "core/text/dataset.h"
#include "views/common/theme.h"

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

/// The settings of an imported run or of a model of one's own may name no corpora.
bool namesCorpora(const RunConfig& config) {
    for (const char* key :
         {"data.train", "data.valid", "data.test", "data.prompts", "data.kind", "data.kd",
          "data.source_column", "data.target_column", "data.max_length", "data.tokenizer.joint"})
        if (!config.has(key)) return false;
    return true;
}

std::vector<std::string> filesOf(const DataRecord& record) {
    std::vector<std::string> files;
    for (const auto& [file, hash] : record.corpora) files.push_back(file);
    if (files.empty() && record.config) files = text::corpusFiles(*record.config);
    return files;
}

/// Fingerprints for as long as size and time of every file stay. Any thread.
class FingerprintCache {
public:
    std::optional<std::string> of(const DataRecord& record) {
        Key key{record.project,
                record.sourceTokenizer + record.targetTokenizer + record.config->canonicalText(),
                {}};
        for (const std::string& file : filesOf(record))
            std::get<2>(key).push_back(stampOf(record.project / file));
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = known_.find(key); known != known_.end()) return known->second;
        }
        const auto now = text::dataFingerprint(*record.config, record.project,
                                               {record.sourceTokenizer, record.targetTokenizer});
        if (!now) return std::nullopt;
        const std::lock_guard lock(mutex_);
        return known_[key] = *now;
    }

private:
    using Key = std::tuple<fs::path, std::string, std::vector<std::optional<Stamp>>>;
    std::mutex mutex_;
    std::map<Key, std::string> known_;
};

FingerprintCache& fingerprints() {
    static FingerprintCache cache;
    return cache;
}

void judgeTogether(const DataRecord& record, DataVerdict& verdict) {
    if (record.fingerprint.empty() || !record.config || !verdict.missing.empty()) return;
    const auto now = fingerprints().of(record);
    if (!now) return;
    verdict.known = true;
    verdict.together = true;
    if (*now != record.fingerprint) verdict.changed = text::corpusFiles(*record.config);
}

QString listed(const std::vector<std::string>& files) {
    QStringList names;
    for (const std::string& file : files) names << QString::fromStdString(file).toHtmlEscaped();
    return names.join(QStringLiteral(", "));
}

}  // namespace

DataVerdict judgeData(const DataRecord& record) {
    DataVerdict verdict;
    for (const std::string& file : filesOf(record))
        if (!stampOf(record.project / file)) verdict.missing.push_back(file);
    verdict.known = !verdict.missing.empty();
    if (record.corpora.empty()) {
        judgeTogether(record, verdict);
        return verdict;
    }
    verdict.known = true;
    for (const auto& [file, recorded] : record.corpora)
        if (const auto now = hashes().of(record.project / file); now && *now != recorded)
            verdict.changed.push_back(file);
    return verdict;
}

DataBadge::DataBadge(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("inspector.data"));
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    hide();
    connect(&files_, &QFileSystemWatcher::fileChanged, this, &DataBadge::look);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] { show(verdict_); });
}

void DataBadge::setRecord(const DataRecord& record) {
    DataRecord usable = record;
    if (usable.config && !namesCorpora(*usable.config)) usable.config.reset();
    if (usable == record_) return;
    record_ = std::move(usable);
    show({});
    look();
}

void DataBadge::look() {
    if (!files_.files().isEmpty()) files_.removePaths(files_.files());
    for (const std::string& file : filesOf(record_))
        files_.addPath(QString::fromStdString((record_.project / file).string()));
    reading_.run([record = record_] { return judgeData(record); },
                 [this](const DataVerdict& verdict) { show(verdict); });
}

void DataBadge::show(const DataVerdict& verdict) {
    const bool another = !(std::exchange(verdict_, verdict) == verdict);
    setVisible(!verdict.changed.empty() || !verdict.missing.empty());
    QStringList lines;
    const QString bad = QStringLiteral("<b style=\"color:%1\">⚠ %2</b> %3");
    if (!verdict.changed.empty())
        lines << bad.arg(theme().bad.name(),
                         verdict.together ? tr("Data changed since this run, in one of")
                                          : tr("Data changed since this run:"),
                         listed(verdict.changed));
    if (!verdict.missing.empty())
        lines << bad.arg(theme().bad.name(), tr("Data missing:"), listed(verdict.missing));
    setText(lines.join(QStringLiteral("<br>")));
    setToolTip(
        tr("The content of a file no longer has the hash that the run recorded: the run cannot be resumed or "
           "repeated exactly until it is restored. `kurve verify` names the hashes."));
    if (another) Q_EMIT judged();
}

}  // namespace kurve::views
