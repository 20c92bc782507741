#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <vector>

#include "core/store/disk_use.h"
#include "views/runs/note_writer.h"

class QUndoStack;

namespace kurve::views {

class RunCatalog;
class Selection;

/// What a user does to runs of the list and to their recordings, with one undo for all of it: names, stars,
/// tags, notes, what charts hide, archive and trash. Each is said in one sentence that names what it keeps
/// and how many bytes that is. Belongs to one project; the last 200 edits can be undone. What could not be
/// written did not happen: its reason is said, and there is nothing to undo. GUI thread.
class RunEdits : public QObject {
    Q_OBJECT
public:
    using Recordings = std::vector<store::RecordingFile>;
    /// Without a project there are no recordings to move.
    RunEdits(RunCatalog& catalog, const store::Project* maybeProject, QObject* parent = nullptr);
    ~RunEdits() override;
    /// What is hidden from now on, by whatever view, is an edit.
    void watchHidden(Selection& selection);
    void rename(const QString& id, const QString& name);
    /// All as the first is not.
    void star(const QStringList& ids);
    void changeTags(const QString& id, const QStringList& added, const QStringList& removed);
    /// Notes that were written are an edit as soon as they stand in the index; those of one sitting (any
    /// number) that follow each other are undone in one step.
    [[nodiscard]] NoteWriter& notes() { return notes_; }
    [[nodiscard]] const NoteWriter& notes() const { return notes_; }
    /// Out of the list, untouched; or back, if the first of them is archived.
    void archive(const QStringList& ids);
    void trash(const QStringList& ids, bool on);
    /// Single recordings, into the trash or out of it; the files are moved on a worker, one edit after the
    /// other.
    void trashRecordings(const Recordings& recordings, bool on);
    void undo();
    void redo();
    /// What undo() and redo() would do ("star of 3 runs"); empty: nothing.
    [[nodiscard]] QString undoText() const;
    [[nodiscard]] QString redoText() const;

Q_SIGNALS:
    void said(const QString& text);
    void recordingsMoved();
    void textsChanged();  ///< undoText() or redoText()

private:
    /// Notes as they stood before and after; edits of one sitting that follow each other are one.
    struct Notes {
        QString before, after;
        int sitting = -1;
    };
    struct Edit {
        QStringList runs;
        std::function<void()> redo, undo;
        std::shared_ptr<Notes> notes = {};  ///< were written already when this becomes an edit
    };
    class Command;

    void push(const QString& text, Edit edit);
    [[nodiscard]] QString sizeOf(const QStringList& ids) const;   ///< "3 runs, 12 MB"
    [[nodiscard]] QString namesOf(const QStringList& ids) const;  ///< "first", or "3 runs"
    /// Says so if none of them is there any more.
    void checkThere(const QStringList& ids);
    void notesStored(const QString& run, const NoteWriter::Note& note, const QString& stands);
    void hiddenChanged(const QStringList& now);
    void takeBack(quint64 edit, const QString& why);
    void moveRecordings(const Recordings& from, const Recordings& to);

    RunCatalog& catalog_;
    const store::Project* project_;
    NoteWriter notes_;
    Selection* selection_ = nullptr;
    QStringList hidden_;
    bool applying_ = false;    ///< an edit, so that what it changes is no other edit
    Command* last_ = nullptr;  ///< that was done or undone
    QThreadPool mover_;        ///< of one thread: an undo follows what it undoes
    QUndoStack* undo_;
};

}  // namespace kurve::views
