#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/store/disk_use.h"
#include "views/runs/note_store.h"

class QUndoStack;

namespace kurve::views {

class RunCatalog;
class Selection;

/// The user's edits of runs and their traces, with one undo stack: names, stars, tags, notes, hiding in
/// charts, archive and trash. Each edit reports what it affects and its size. Belongs to one project; the
/// last 200 edits can be undone. An edit that could not be written is reported and not on the stack. GUI
/// thread.
class RunEdits : public QObject {
    Q_OBJECT
public:
    using Traces = std::vector<store::TraceFile>;
    /// Without a project there are no traces to move.
    RunEdits(RunCatalog& catalog, const store::Project* maybeProject, QObject* parent = nullptr);
    ~RunEdits() override;
    /// Hiding runs, in any view, is an edit from now on.
    void watchHidden(Selection& selection);
    void rename(const QString& id, const QString& name);
    /// Toggles the star of the first, and sets the others to it.
    void star(const QStringList& ids);
    void changeTags(const QString& id, const QStringList& added, const QStringList& removed);
    /// Notes become an edit once they are in the index; consecutive ones of the same sitting are undone in
    /// one step.
    [[nodiscard]] NoteStore& notes() { return notes_; }
    [[nodiscard]] const NoteStore& notes() const { return notes_; }
    /// Hides them from the list, or restores them if the first is archived.
    void archive(const QStringList& ids);
    /// Not those that a queued training names in its settings.
    void trash(const QStringList& ids, bool on);
    /// Finds the runs that queued trainings need, with the titles of these.
    using NeededRuns = std::function<std::map<QString, QStringList>()>;
    void setNeededRuns(NeededRuns find) { neededRuns_ = std::move(find); }
    /// Single traces, into the trash or out of it; the files are moved on a worker, one edit after the
    /// other.
    void trashTraces(const Traces& traces, bool on);
    void undo();
    void redo();
    /// What undo() and redo() would do ("star of 3 runs"); empty: nothing.
    [[nodiscard]] QString undoText() const;
    [[nodiscard]] QString redoText() const;

Q_SIGNALS:
    void message(const QString& text);
    void tracesMoved();
    void textsChanged();  ///< undoText() or redoText()

private:
    /// Notes before and after; consecutive edits of one sitting are one.
    struct Notes {
        QString before, after;
        int sitting = -1;
    };
    struct Edit {
        QStringList runs;
        std::function<void()> redo, undo;
        std::shared_ptr<Notes> notes = {};  ///< written before this becomes an edit
    };
    class Command;

    void push(const QString& text, Edit edit);
    [[nodiscard]] QString sizeOf(const QStringList& ids) const;   ///< "3 runs, 12 MB"
    [[nodiscard]] QString namesOf(const QStringList& ids) const;  ///< "first", or "3 runs"
    /// Which other runs were made with these; empty: none.
    [[nodiscard]] QString usersOf(const QStringList& ids) const;
    /// Reports if none of them exists any more.
    void checkThere(const QStringList& ids);
    void notesStored(const QString& run, const NoteStore::Note& note, const QString& storedText);
    void hiddenChanged(const QStringList& now);
    void revert(quint64 edit, const QString& why);
    void moveTraces(const Traces& from, const Traces& to);

    RunCatalog& catalog_;
    const store::Project* project_;
    NoteStore notes_;
    Selection* selection_ = nullptr;
    QStringList hidden_;
    NeededRuns neededRuns_;
    bool applying_ = false;    ///< an edit is being applied: its changes are not edits themselves
    Command* last_ = nullptr;  ///< that was done or undone
    QThreadPool mover_;        ///< of one thread: an undo follows what it undoes
    QUndoStack* undo_;
};

}  // namespace kurve::views
