#pragma once

#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

namespace kurve::views {

class RunCatalog;

/// Writes notes to the index. What cannot be written (a full disk) is queued here and retried every five
/// seconds; concurrent edits are merged with it. GUI thread.
class NoteStore : public QObject {
    Q_OBJECT
public:
    struct Note {
        QString text, read;  ///< the new text, and the text that it replaces
        int sitting = -1;
        QString refusal;  ///< why the last write failed
    };
    explicit NoteStore(RunCatalog& catalog, QObject* parent = nullptr);
    void write(const QString& run, const QString& text, const QString& read, int sitting);
    /// The note of this run that is not in the index yet; null: none.
    [[nodiscard]] const Note* pending(const QString& run) const;
    /// An edit of the catalog failed; false: it is not one of these notes.
    bool takeFailure(quint64 edit, const QString& why);
    /// Some note could not be written.
    [[nodiscard]] bool anyRefused() const;
    /// All pending notes, for the session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    /// `note` was written, and `storedText` is in the index now: another text after a concurrent edit.
    void stored(const QString& run, const kurve::views::NoteStore::Note& note, const QString& storedText);
    void refused(const QString& run);
    void refusedChanged();  ///< the set of refused notes changed

private:
    struct Pending {
        Note note;
        Note sent;         ///< being written while `edit` is not 0
        quint64 edit = 0;  ///< of the catalog
    };
    void send(const QString& run);
    void retry();
    void confirm(quint64 edit, const QString& text);
    [[nodiscard]] QString runOf(quint64 edit) const;

    RunCatalog& catalog_;
    QHash<QString, Pending> pending_;
    QTimer retry_;
};

}  // namespace kurve::views
