#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "views/runs/note_writer.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

/// The tags and notes of a run as a person writes them; handed on when a pause of typing or leaving says so.
/// While they are written the fields keep their own undo, and what others write meanwhile is merged with
/// them. Notes that cannot be stored stay in the field, which says so.
class RunRemarks : public QWidget {
    Q_OBJECT
public:
    explicit RunRemarks(QWidget* parent = nullptr);
    /// Takes the notes; without one nobody can write any. It outlives this.
    void setWriter(NoteWriter& writer);
    /// Null: none. What was written on another run is handed on first.
    void setRun(const store::RunSummary* run);
    /// Hands on what is still being written; call it before the panel goes.
    void finish();
    void editTags();
    void editNotes();

Q_SIGNALS:
    void tagsChanged(const QString& run, const QStringList& added, const QStringList& removed);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void saveTags();
    void leaveTags();
    void saveNotes();
    void showTags(const QStringList& tags);
    void showNotes(const QString& text);
    /// Somebody else wrote: the field holds both from now on.
    void takeNotes(const QString& before, const QString& now);
    void notesStored(const QString& run, const NoteWriter::Note& note, const QString& stands);
    void notesRefused(const QString& run);

    QString run_;
    NoteWriter* writer_ = nullptr;
    QLineEdit* tags_;
    QPointer<QWidget> cameFrom_;  ///< what had the focus before the tags
    QStringList shownTags_;       ///< what was there when the writing of them began
    QPlainTextEdit* notes_;
    QString read_;  ///< the notes that stand in the index, as far as this field knows
    QLabel* state_;
    QTimer saveLater_;
    int sitting_ = 0;  ///< another number each time the notes were left
    bool filling_ = false;
};

}  // namespace kurve::views
