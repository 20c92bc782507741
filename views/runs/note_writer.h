#pragma once

#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

namespace kurve::views {

class RunCatalog;

/// Notes on their way into the index. What cannot be written (a full disk) is kept here and tried again every
/// five seconds; what others wrote meanwhile is merged with it. GUI thread.
class NoteWriter : public QObject {
    Q_OBJECT
public:
    struct Note {
        QString text, read;  ///< as they are to be, and what stood there when they were written
        int sitting = -1;
        QString refusal;  ///< why they could not be written the last time
    };
    explicit NoteWriter(RunCatalog& catalog, QObject* parent = nullptr);
    void write(const QString& run, const QString& text, const QString& read, int sitting);
    /// What was written on this run and does not stand in the index yet; null: nothing.
    [[nodiscard]] const Note* waiting(const QString& run) const;
    /// An edit of the catalog could not be written; false: it is none of these.
    bool takeFailure(quint64 edit, const QString& why);
    /// Some could not be written, whatever run they are on.
    [[nodiscard]] bool anyRefused() const;
    /// All that wait, to go on with another day.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    /// `note` was written, and `stands` is there now: another text where somebody else wrote as well.
    void stored(const QString& run, const kurve::views::NoteWriter::Note& note, const QString& stands);
    void refused(const QString& run);
    void refusedChanged();  ///< what was refused is another than before

private:
    struct Waiting {
        Note note;
        Note sent;         ///< is being written while `edit` is not 0
        quint64 edit = 0;  ///< of the catalog
    };
    void send(const QString& run);
    void sendAgain();
    void stands(quint64 edit, const QString& text);
    [[nodiscard]] QString runOf(quint64 edit) const;

    RunCatalog& catalog_;
    QHash<QString, Waiting> waiting_;
    QTimer again_;
};

}  // namespace kurve::views
