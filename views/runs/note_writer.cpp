#include "views/runs/note_writer.h"

#include <algorithm>

#include "core/store/notes.h"
#include "views/common/run_catalog.h"

namespace kurve::views {

namespace {
constexpr int kAgainMilliseconds = 5000;
}

NoteWriter::NoteWriter(RunCatalog& catalog, QObject* parent) : QObject(parent), catalog_(catalog) {
    again_.setInterval(kAgainMilliseconds);
    connect(&again_, &QTimer::timeout, this, &NoteWriter::sendAgain);
    connect(&catalog, &RunCatalog::notesStand, this, &NoteWriter::stands);
}

void NoteWriter::write(const QString& run, const QString& text, const QString& read, int sitting) {
    if (const auto found = waiting_.find(run); found != waiting_.end()) {
        found->note.text = text;  // `read` stays: nothing of it stands in the index yet
        found->note.sitting = sitting;
        if (found->edit == 0) send(run);
        return;
    }
    if (text == read) return;
    waiting_.insert(run, {{text, read, sitting, {}}, {}});
    send(run);
}

void NoteWriter::send(const QString& run) {
    Waiting& waiting = waiting_[run];
    waiting.sent = waiting.note;
    catalog_.setNotes(run, waiting.sent.text, waiting.sent.read);
    waiting.edit = catalog_.lastEdit();
}

void NoteWriter::sendAgain() {
    waiting_.removeIf([this](const auto& it) {  // of a run that is gone: nobody can read them any more
        return it->edit == 0 && catalog_.complete() && catalog_.run(it.key()) == nullptr;
    });
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it)
        if (it->edit == 0) send(it.key());
}

QString NoteWriter::runOf(quint64 edit) const {
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it)
        if (it->edit == edit) return it.key();
    return {};
}

void NoteWriter::stands(quint64 edit, const QString& text) {
    const QString run = runOf(edit);
    if (run.isEmpty()) return;
    Waiting& waiting = waiting_[run];
    const Note sent = waiting.sent;
    const bool wasRefused = !waiting.note.refusal.isEmpty();
    waiting.edit = 0;
    if (waiting.note.text == sent.text) {
        waiting_.remove(run);
    } else {  // somebody typed on
        waiting.note.text = QString::fromStdString(
            store::mergeNotes(sent.text.toStdString(), waiting.note.text.toStdString(), text.toStdString()));
        waiting.note.read = text;
        waiting.note.refusal.clear();
        send(run);
    }
    if (!anyRefused()) again_.stop();
    if (wasRefused) Q_EMIT refusedChanged();
    Q_EMIT stored(run, sent, text);
}

bool NoteWriter::takeFailure(quint64 edit, const QString& why) {
    const QString run = runOf(edit);
    if (run.isEmpty()) return false;
    Waiting& waiting = waiting_[run];
    waiting.edit = 0;
    waiting.note.refusal = why;
    if (!again_.isActive()) again_.start();
    Q_EMIT refusedChanged();
    Q_EMIT refused(run);
    return true;
}

const NoteWriter::Note* NoteWriter::waiting(const QString& run) const {
    const auto found = waiting_.constFind(run);
    return found == waiting_.constEnd() ? nullptr : &found->note;
}

bool NoteWriter::anyRefused() const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [](const Waiting& waiting) { return !waiting.note.refusal.isEmpty(); });
}

QJsonObject NoteWriter::save() const {
    QJsonObject saved;
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it)
        saved.insert(it.key(), QJsonObject{{QStringLiteral("text"), it->note.text},
                                           {QStringLiteral("read"), it->note.read}});
    return saved;
}

void NoteWriter::restore(const QJsonObject& saved) {
    for (auto it = saved.begin(); it != saved.end(); ++it) {
        const QJsonObject note = it->toObject();
        write(it.key(), note.value(QStringLiteral("text")).toString(),
              note.value(QStringLiteral("read")).toString(), -1);
    }
}

}  // namespace kurve::views
