#include "views/runs/run_edits.h"

#include <QDateTime>
#include <QUndoStack>
#include <vector>

#include "core/store/filter_words.h"
#include "core/store/recording_trash.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"

namespace kurve::views {

namespace {

/// An edit of the catalog with its inverse.
class CatalogEdit : public QUndoCommand {
public:
    CatalogEdit(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), redo_(std::move(redo)), undo_(std::move(undo)) {}
    void redo() override { redo_(); }
    void undo() override { undo_(); }

private:
    std::function<void()> redo_, undo_;
};

}  // namespace

RunEdits::RunEdits(RunCatalog& catalog, const store::Project* maybeProject, QObject* parent)
    : QObject(parent), catalog_(catalog), project_(maybeProject), undo_(new QUndoStack(this)) {
    mover_.setMaxThreadCount(1);
}

void RunEdits::push(const QString& text, std::function<void()> redo, std::function<void()> undo) {
    undo_->push(new CatalogEdit(text, std::move(redo), std::move(undo)));
}

QString RunEdits::sizeOf(const QStringList& ids) const {
    double bytes = 0;
    for (const QString& id : ids)
        if (const auto* run = catalog_.run(id)) bytes += static_cast<double>(run->bytes);
    const QString count = ids.size() == 1 ? tr("1 run") : tr("%1 runs").arg(ids.size());
    return bytes > 0 ? QStringLiteral("%1, %2").arg(count, bytesText(bytes)) : count;
}

void RunEdits::rename(const QString& id, const QString& name) {
    const auto* run = catalog_.run(id);
    const QString before = run ? QString::fromStdString(run->name) : QString();
    push(
        tr("rename"), [this, id, name] { catalog_.rename(id, name); },
        [this, id, before] { catalog_.rename(id, before); });
}

void RunEdits::star(const QStringList& ids) {
    if (ids.isEmpty()) return;
    const auto* first = catalog_.run(ids.first());
    const bool on = !first || !first->starred;
    for (const QString& id : ids) catalog_.setStarred(id, on);
}

void RunEdits::archive(const QStringList& ids) {
    using Tags = std::vector<std::pair<QString, QStringList>>;
    Tags before, after;
    bool archive = true;
    for (const QString& id : ids) {
        const store::RunSummary* run = catalog_.run(id);
        if (!run) continue;
        QStringList tags;
        for (const auto& tag : run->tags) tags << QString::fromStdString(tag);
        if (before.empty()) archive = !store::isArchived(*run);
        before.emplace_back(id, tags);
        tags.removeAll(QLatin1String(store::kArchivedTag));
        if (archive) tags << QLatin1String(store::kArchivedTag);
        after.emplace_back(id, tags);
    }
    if (before.empty()) return;
    const auto apply = [this](const Tags& list) {
        for (const auto& [id, tags] : list) catalog_.setTags(id, tags);
    };
    push(
        archive ? tr("archive") : tr("put back"), [apply, after] { apply(after); },
        [apply, before] { apply(before); });
    Q_EMIT said(
        archive
            ? tr("Archived: %1, all kept. tag:archived shows them, Ctrl+Z brings them back.").arg(sizeOf(ids))
            : tr("Back in the list: %1.").arg(sizeOf(ids)));
}

void RunEdits::trash(const QStringList& ids, bool on) {
    if (ids.isEmpty()) return;
    const auto apply = [this, ids](bool trashed) {
        for (const QString& id : ids) catalog_.setTrashed(id, trashed);
    };
    push(
        on ? tr("move to trash") : tr("restore"), [apply, on] { apply(on); }, [apply, on] { apply(!on); });
    Q_EMIT said(on ? tr("In the trash: %1, still on the disk. Ctrl+Z brings them back.").arg(sizeOf(ids))
                   : tr("Restored: %1.").arg(sizeOf(ids)));
}

void RunEdits::trashRecordings(const Recordings& recordings, bool on) {
    if (recordings.empty() || project_ == nullptr) return;
    const std::string batch =
        QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")).toStdString();
    Recordings after;
    double bytes = 0;
    for (const auto& recording : recordings) {
        after.push_back(on ? store::inTrash(recording, batch) : store::outOfTrash(recording));
        bytes += static_cast<double>(recording.bytes);
    }
    push(
        on ? tr("move recordings to trash") : tr("restore recordings"),
        [this, recordings, after] { moveRecordings(recordings, after); },
        [this, recordings, after] { moveRecordings(after, recordings); });
    const QString what =
        tr("%1 recording(s), %2").arg(static_cast<int>(recordings.size())).arg(bytesText(bytes));
    Q_EMIT said(on ? tr("In the trash: %1, still on the disk. Ctrl+Z brings them back.").arg(what)
                   : tr("Restored: %1.").arg(what));
}

void RunEdits::moveRecordings(const Recordings& from, const Recordings& to) {
    mover_.start([this, project = *project_, from, to] {
        const Status status = store::moveRecordings(project, from, to);
        // The pool is a member: this object lives until the work is done, and takes with it what is posted.
        QMetaObject::invokeMethod(
            this,
            [this, status] {
                if (!status) Q_EMIT said(QString::fromStdString(status.error().text()));
                Q_EMIT recordingsMoved();
            },
            Qt::QueuedConnection);
    });
}

void RunEdits::undo() {
    if (!undo_->canUndo()) return;
    Q_EMIT said(tr("Undone: %1").arg(undo_->undoText()));
    undo_->undo();
}

void RunEdits::redo() {
    undo_->redo();
}

}  // namespace kurve::views
