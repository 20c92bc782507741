#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <vector>

#include "core/store/disk_use.h"

class QUndoStack;

namespace kurve::views {

class RunCatalog;

/// What a user does to runs of the list and to their recordings, with undo: names, stars, archive and trash.
/// Each is said in one sentence that names what it keeps and how many bytes that is.
class RunEdits : public QObject {
    Q_OBJECT
public:
    using Recordings = std::vector<store::RecordingFile>;
    /// Without a project there are no recordings to move.
    RunEdits(RunCatalog& catalog, const store::Project* maybeProject, QObject* parent = nullptr);
    void rename(const QString& id, const QString& name);
    /// All as the first is not.
    void star(const QStringList& ids);
    /// Out of the list, untouched; or back, if the first of them is archived.
    void archive(const QStringList& ids);
    void trash(const QStringList& ids, bool on);
    /// Single recordings, into the trash or out of it; the files are moved on a worker, one edit after the
    /// other.
    void trashRecordings(const Recordings& recordings, bool on);
    void undo();
    void redo();

Q_SIGNALS:
    void said(const QString& text);
    void recordingsMoved();

private:
    void push(const QString& text, std::function<void()> redo, std::function<void()> undo);
    [[nodiscard]] QString sizeOf(const QStringList& ids) const;  ///< "3 runs, 12 MB"

    void moveRecordings(const Recordings& from, const Recordings& to);

    RunCatalog& catalog_;
    const store::Project* project_;
    QThreadPool mover_;  ///< of one thread: an undo follows what it undoes
    QUndoStack* undo_;
};

}  // namespace kurve::views
