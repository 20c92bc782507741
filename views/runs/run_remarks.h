#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

class QLineEdit;
class QPlainTextEdit;

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

/// The tags and notes of a run as a person writes them; handed on when a pause of typing or leaving says so.
/// While they are written the fields keep their own undo.
class RunRemarks : public QWidget {
    Q_OBJECT
public:
    explicit RunRemarks(QWidget* parent = nullptr);
    /// Null: none. What was written on another run is handed on first.
    void setRun(const store::RunSummary* run);
    /// Hands on what is still being written; call it before the panel goes.
    void finish();
    void editTags();
    void editNotes();

Q_SIGNALS:
    void tagsWritten(const QString& run, const QStringList& tags);
    /// `sitting` is another number each time the notes were left.
    void notesWritten(const QString& run, const QString& notes, int sitting);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void saveTags();
    void saveNotes();
    void showNotes(const QString& text);

    QString run_;
    QLineEdit* tags_;
    QPlainTextEdit* notes_;
    QTimer saveLater_;
    std::optional<QString> sent_;  ///< notes that were handed on and have not come back yet
    int sitting_ = 0;
    bool filling_ = false;
};

}  // namespace kurve::views
