#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "views/runs/note_store.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

/// The tags and notes of a run; saved after a pause in typing or when the field loses focus. While they are
/// edited the fields keep their own undo, and concurrent edits are merged with them. Notes that cannot be
/// saved stay in the field, with a message.
class RunAnnotations : public QWidget {
    Q_OBJECT
public:
    explicit RunAnnotations(QWidget* parent = nullptr);
    ~RunAnnotations() override;
    /// Stores the notes; without one they are read-only. It outlives this.
    void setNoteStore(NoteStore& store);
    /// Null: none. Pending edits of the previous run are saved first.
    void setRun(const store::RunSummary* run);
    /// Saves pending edits; call it before the panel is destroyed.
    void finish();
    void editTags();
    void editNotes();

Q_SIGNALS:
    void tagsChanged(const QString& run, const QStringList& added, const QStringList& removed);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void say(const QString& text);
    void saveTags();
    void leaveTags();
    void saveNotes();
    void showTags(const QStringList& tags);
    void showNotes(const QString& text);
    /// Merges a concurrent edit into the field.
    void mergeNotes(const QString& before, const QString& now);
    void notesStored(const QString& run, const NoteStore::Note& note, const QString& storedText);
    void notesRefused(const QString& run);

    QString run_;
    NoteStore* store_ = nullptr;
    QLineEdit* tags_;
    QPointer<QWidget> previousFocus_;  ///< before the tags
    QStringList shownTags_;            ///< when the edit began
    QPlainTextEdit* notes_;
    QString read_;  ///< the notes in the index, as last read
    QLabel* state_;
    QTimer saveLater_;
    int sitting_ = 0;  ///< increases whenever the notes lose the focus
    bool filling_ = false;
};

}  // namespace kurve::views
