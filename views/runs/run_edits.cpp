#include "views/runs/run_edits.h"

#include <QDateTime>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "core/store/filter_words.h"
#include "core/store/notes.h"
#include "core/store/trace_trash.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr int kMostUndone = 200;

bool hasTag(const store::RunSummary& run, const QString& tag) {
    return std::ranges::find(run.tags, tag.toStdString()) != run.tags.end();
}

}  // namespace

/// An edit with its inverse.
class RunEdits::Command : public QUndoCommand {
public:
    Command(RunEdits& edits, const QString& text, Edit edit)
        : QUndoCommand(text), edits_(edits), edit_(std::move(edit)) {}
    ~Command() override {
        if (edits_.last_ == this) edits_.last_ = nullptr;
    }
    void redo() override {
        if (isReverted_) return;
        const bool isFirst = times_++ == 0;
        if (isFirst && edit_.notes) return;
        if (!isFirst) edits_.checkThere(edit_.runs);
        apply(edit_.redo, true);
    }
    void undo() override {
        if (isReverted_) return;
        edits_.checkThere(edit_.runs);
        apply(edit_.undo, false);
    }
    [[nodiscard]] int id() const override { return edit_.notes ? edit_.notes->sitting : -1; }
    bool mergeWith(const QUndoCommand* next) override {
        const auto& later = static_cast<const Command&>(*next).edit_;
        if (later.runs != edit_.runs || later.notes->before != edit_.notes->after) return false;
        edit_.notes->after = later.notes->after;
        return true;
    }
    /// True when every part of the last change has failed.
    bool fails(quint64 edit) { return edit >= first_ && edit < first_ + parts_ && ++failures_ == parts_; }
    /// Restores the stack without writing anything. A first execution is removed from it: do not use this
    /// afterwards.
    void revert(QUndoStack& stack) {
        const bool isGone = isDone_ && times_ == 1;
        isReverted_ = true;
        setObsolete(isGone);
        isDone_ ? stack.undo() : stack.redo();
        if (isGone) return;
        isReverted_ = false;
        isDone_ = !isDone_;
    }

private:
    void apply(const std::function<void()>& change, bool isDone) {
        edits_.applying_ = true;
        edits_.last_ = this;
        isDone_ = isDone;
        failures_ = 0;
        first_ = edits_.catalog_.lastEdit() + 1;
        change();
        parts_ = edits_.catalog_.lastEdit() + 1 - first_;
        edits_.applying_ = false;
    }
    RunEdits& edits_;
    Edit edit_;
    int times_ = 0;
    bool isDone_ = false, isReverted_ = false;
    quint64 first_ = 0, parts_ = 0, failures_ = 0;  ///< of the catalog's edits
};

RunEdits::RunEdits(RunCatalog& catalog, const store::Project* maybeProject, QObject* parent)
    : QObject(parent),
      catalog_(catalog),
      project_(maybeProject),
      notes_(catalog),
      undo_(new QUndoStack(this)) {
    mover_.setMaxThreadCount(1);
    undo_->setUndoLimit(kMostUndone);
    connect(undo_, &QUndoStack::indexChanged, this, &RunEdits::textsChanged);
    connect(&catalog, &RunCatalog::editFailed, this, &RunEdits::revert);
    connect(&notes_, &NoteStore::stored, this, &RunEdits::notesStored);
}

// The commands on the stack refer to members of this.
RunEdits::~RunEdits() {
    undo_->disconnect(this);
    delete undo_;
}

void RunEdits::push(const QString& text, Edit edit) {
    undo_->push(new Command(*this, text, std::move(edit)));
}

void RunEdits::revert(quint64 edit, const QString& why) {
    const bool isFirst = !notes_.anyRefused();
    if (notes_.takeFailure(edit, why)) {  // retried, with a message in the notes field
        if (isFirst) Q_EMIT message(why);
        return;
    }
    Q_EMIT message(why);
    if (last_ != nullptr && last_->fails(edit)) last_->revert(*undo_);
}

void RunEdits::checkThere(const QStringList& ids) {
    for (const QString& id : ids)
        if (catalog_.run(id) != nullptr) return;
    if (!ids.isEmpty())
        Q_EMIT message(tr("%1: not in the project any more.").arg(ids.join(QStringLiteral(", "))));
}

QString RunEdits::namesOf(const QStringList& ids) const {
    if (ids.size() != 1) return countedText(ids.size(), tr("run"));
    const auto* run = catalog_.run(ids.first());
    return run == nullptr || run->name.empty()
               ? ids.first()
               : QStringLiteral("“%1”").arg(QString::fromStdString(run->name));
}

QString RunEdits::sizeOf(const QStringList& ids) const {
    double bytes = 0;
    for (const QString& id : ids)
        if (const auto* run = catalog_.run(id)) bytes += static_cast<double>(run->bytes);
    const QString count = countedText(ids.size(), tr("run"));
    return bytes > 0 ? QStringLiteral("%1, %2").arg(count, bytesText(bytes)) : count;
}

QString RunEdits::usersOf(const QStringList& ids) const {
    QStringList users;
    for (const store::RunSummary& run : catalog_.runs())
        for (const auto& [field, reference] : run.references)
            if (const QString id = QString::fromStdString(run.id);
                !ids.contains(id) && !users.contains(id) &&
                ids.contains(QString::fromStdString(reference).section(QLatin1Char('@'), 0, 0)))
                users << id;
    return users.isEmpty() ? QString()
                           : tr(" Made with it: %1, which keeps a copy; only to reproduce a run that began "
                                "from its weights it is needed.")
                                 .arg(users.join(QStringLiteral(", ")));
}

void RunEdits::rename(const QString& id, const QString& name) {
    const auto* run = catalog_.run(id);
    const QString before = run ? QString::fromStdString(run->name) : QString();
    if (before == name) return;
    push(tr("renaming of %1").arg(namesOf({id})), {{id},
                                                   [this, id, name] { catalog_.rename(id, name); },
                                                   [this, id, before] { catalog_.rename(id, before); }});
}

void RunEdits::star(const QStringList& ids) {
    const auto* first = ids.isEmpty() ? nullptr : catalog_.run(ids.first());
    if (first == nullptr) return;
    const bool on = !first->starred;
    QStringList changed;
    for (const QString& id : ids)
        if (const auto* run = catalog_.run(id); run != nullptr && run->starred != on) changed << id;
    const auto apply = [this, changed](bool starred) {
        for (const QString& id : changed) catalog_.setStarred(id, starred);
    };
    push((on ? tr("star of %1") : tr("unstar of %1")).arg(namesOf(changed)),
         {changed, [apply, on] { apply(on); }, [apply, on] { apply(!on); }});
    Q_EMIT message((on ? tr("Starred: %1.") : tr("Unstarred: %1.")).arg(namesOf(changed)));
}

void RunEdits::changeTags(const QString& id, const QStringList& added, const QStringList& removed) {
    const auto* run = catalog_.run(id);
    if (run == nullptr) return;
    QStringList come, gone;
    for (const QString& tag : added)
        if (!hasTag(*run, tag)) come << tag;
    for (const QString& tag : removed)
        if (hasTag(*run, tag)) gone << tag;
    if (come.isEmpty() && gone.isEmpty()) return;
    push(tr("tags of %1").arg(namesOf({id})),
         {{id},
          [this, id, come, gone] { catalog_.changeTags(id, come, gone); },
          [this, id, come, gone] { catalog_.changeTags(id, gone, come); }});
}

void RunEdits::notesStored(const QString& run, const NoteStore::Note& note, const QString& storedText) {
    const auto before = store::mergeNotes(note.text.toStdString(), note.read.toStdString(),
                                          storedText.toStdString());  // keeps concurrent edits
    const auto notes =
        std::make_shared<Notes>(Notes{QString::fromStdString(before), storedText, note.sitting});
    push(tr("notes on %1").arg(namesOf({run})),
         {{run},
          [this, run, notes] { catalog_.setNotes(run, notes->after, notes->before); },
          [this, run, notes] { catalog_.setNotes(run, notes->before, notes->after); },
          notes});
}

void RunEdits::watchHidden(Selection& selection) {
    selection_ = &selection;
    hidden_ = selection.hiddenRuns();
    connect(&selection, &Selection::hiddenChanged, this, &RunEdits::hiddenChanged);
}

void RunEdits::hiddenChanged(const QStringList& now) {
    const QStringList before = std::exchange(hidden_, now);
    if (applying_) return;
    QStringList hidden = now, shown = before;
    for (const QString& id : before) hidden.removeAll(id);
    for (const QString& id : now) shown.removeAll(id);
    const QString text =
        hidden.isEmpty() ? tr("showing of %1").arg(namesOf(shown)) : tr("hiding of %1").arg(namesOf(hidden));
    push(text, {hidden + shown,
                [this, hidden, shown] {
                    selection_->hideRuns(hidden, true);
                    selection_->hideRuns(shown, false);
                },
                [this, hidden, shown] {
                    selection_->hideRuns(hidden, false);
                    selection_->hideRuns(shown, true);
                }});
}

void RunEdits::archive(const QStringList& ids) {
    const QString tag = QLatin1String(store::kArchivedTag);
    const auto* first = ids.isEmpty() ? nullptr : catalog_.run(ids.first());
    if (first == nullptr) return;
    const bool archive = !store::isArchived(*first);
    QStringList changed;
    for (const QString& id : ids)
        if (const auto* run = catalog_.run(id); run != nullptr && store::isArchived(*run) != archive)
            changed << id;
    const auto apply = [this, changed, tag](bool on) {
        for (const QString& id : changed)
            catalog_.changeTags(id, on ? QStringList{tag} : QStringList(),
                                on ? QStringList() : QStringList{tag});
    };
    push((archive ? tr("archiving of %1") : tr("unarchiving of %1")).arg(namesOf(changed)),
         {changed, [apply, archive] { apply(archive); }, [apply, archive] { apply(!archive); }});
    Q_EMIT message(archive ? tr("Archived: %1, nothing deleted. tag:archived shows them, Ctrl+Z undoes it.")
                                 .arg(sizeOf(changed))
                           : tr("Unarchived: %1.").arg(sizeOf(changed)));
}

void RunEdits::trash(const QStringList& ids, bool on) {
    if (ids.isEmpty()) return;
    const auto needed = on && neededRuns_ ? neededRuns_() : std::map<QString, QStringList>();
    for (const QString& id : ids)
        if (const auto found = needed.find(id); found != needed.end())
            return Q_EMIT message(tr("Not in the trash: %1 is needed by the queue (%2). Remove that from the "
                                     "queue, or wait until it has started.")
                                      .arg(namesOf({id}), found->second.join(QStringLiteral(", "))));
    const auto apply = [this, ids](bool trashed) {
        for (const QString& id : ids) catalog_.setTrashed(id, trashed);
    };
    push((on ? tr("move of %1 to the trash") : tr("restoring of %1")).arg(namesOf(ids)),
         {ids, [apply, on] { apply(on); }, [apply, on] { apply(!on); }});
    Q_EMIT message(
        on ? tr("In the trash: %1, still on disk. Ctrl+Z undoes it.%2").arg(sizeOf(ids), usersOf(ids))
           : tr("Restored: %1.").arg(sizeOf(ids)));
}

void RunEdits::trashTraces(const Traces& traces, bool on) {
    if (traces.empty() || project_ == nullptr) return;
    const std::string batch =
        QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")).toStdString();
    Traces after;
    double bytes = 0;
    for (const auto& trace : traces) {
        after.push_back(on ? store::inTrash(trace, batch) : store::outOfTrash(trace));
        bytes += static_cast<double>(trace.bytes);
    }
    const QString count = countedText(static_cast<qint64>(traces.size()), tr("trace"));
    push((on ? tr("move of %1 to the trash") : tr("restoring of %1")).arg(count),
         {{},
          [this, traces, after] { moveTraces(traces, after); },
          [this, traces, after] { moveTraces(after, traces); }});
    const QString what = QStringLiteral("%1, %2").arg(count, bytesText(bytes));
    Q_EMIT message(on ? tr("In the trash: %1, still on disk. Ctrl+Z undoes it.").arg(what)
                      : tr("Restored: %1.").arg(what));
}

void RunEdits::moveTraces(const Traces& from, const Traces& to) {
    mover_.start([this, project = *project_, from, to] {
        const Status status = store::moveTraces(project, from, to);
        // The pool is a member: this object outlives the work, and queued calls are dropped with it.
        QMetaObject::invokeMethod(
            this,
            [this, status] {
                if (!status) Q_EMIT message(QString::fromStdString(status.error().text()));
                Q_EMIT tracesMoved();
            },
            Qt::QueuedConnection);
    });
}

void RunEdits::undo() {
    if (!undo_->canUndo()) return;
    Q_EMIT message(tr("Undone: %1").arg(undo_->undoText()));
    undo_->undo();
}

void RunEdits::redo() {
    if (!undo_->canRedo()) return;
    Q_EMIT message(tr("Redone: %1").arg(undo_->redoText()));
    undo_->redo();
}

QString RunEdits::undoText() const {
    return undo_->canUndo() ? undo_->undoText() : QString();
}

QString RunEdits::redoText() const {
    return undo_->canRedo() ? undo_->redoText() : QString();
}

}  // namespace kurve::views
