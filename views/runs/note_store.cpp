#include "views/runs/note_store.h"

#include <algorithm>

#include "core/store/notes.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {

namespace {
constexpr int kRetryMilliseconds = 5000;
}

NoteStore::NoteStore(RunCatalog& catalog, QObject* parent) : QObject(parent), catalog_(catalog) {
    retry_.setInterval(kRetryMilliseconds);
    connect(&retry_, &QTimer::timeout, this, &NoteStore::retry);
    connect(&catalog, &RunCatalog::notesStored, this, &NoteStore::confirm);
}

void NoteStore::write(const QString& run, const QString& text, const QString& read, int sitting) {
    if (const auto found = pending_.find(run); found != pending_.end()) {
        found->note.text = text;  // `read` stays: nothing of it is in the index yet
        found->note.sitting = sitting;
        if (found->edit == 0) send(run);
        return;
    }
    if (text == read) return;
    pending_.insert(run, {{text, read, sitting, {}}, {}});
    send(run);
}

void NoteStore::send(const QString& run) {
    Pending& pending = pending_[run];
    pending.sent = pending.note;
    catalog_.setNotes(run, pending.sent.text, pending.sent.read);
    pending.edit = catalog_.lastEdit();
}

void NoteStore::retry() {
    pending_.removeIf([this](const auto& it) {  // of a removed run
        return it->edit == 0 && catalog_.complete() && catalog_.run(it.key()) == nullptr;
    });
    for (auto it = pending_.begin(); it != pending_.end(); ++it)
        if (it->edit == 0) send(it.key());
}

QString NoteStore::runOf(quint64 edit) const {
    for (auto it = pending_.begin(); it != pending_.end(); ++it)
        if (it->edit == edit) return it.key();
    return {};
}

void NoteStore::confirm(quint64 edit, const QString& text) {
    const QString run = runOf(edit);
    if (run.isEmpty()) return;
    Pending& pending = pending_[run];
    const Note sent = pending.sent;
    const bool wasRefused = !pending.note.refusal.isEmpty();
    pending.edit = 0;
    if (pending.note.text == sent.text) {
        pending_.remove(run);
    } else {  // edited meanwhile
        pending.note.text = QString::fromStdString(
            store::mergeNotes(sent.text.toStdString(), pending.note.text.toStdString(), text.toStdString()));
        pending.note.read = text;
        pending.note.refusal.clear();
        send(run);
    }
    if (!anyRefused()) retry_.stop();
    if (wasRefused) Q_EMIT refusedChanged();
    Q_EMIT stored(run, sent, text);
}

bool NoteStore::takeFailure(quint64 edit, const QString& why) {
    const QString run = runOf(edit);
    if (run.isEmpty()) return false;
    Pending& pending = pending_[run];
    pending.edit = 0;
    pending.note.refusal = why;
    if (!retry_.isActive()) retry_.start();
    Q_EMIT refusedChanged();
    Q_EMIT refused(run);
    return true;
}

const NoteStore::Note* NoteStore::pending(const QString& run) const {
    const auto found = pending_.constFind(run);
    return found == pending_.constEnd() ? nullptr : &found->note;
}

bool NoteStore::anyRefused() const {
    return std::ranges::any_of(pending_,
                               [](const Pending& pending) { return !pending.note.refusal.isEmpty(); });
}

QJsonObject NoteStore::save() const {
    QJsonObject saved;
    for (auto it = pending_.begin(); it != pending_.end(); ++it)
        saved.insert(it.key(), QJsonObject{{QStringLiteral("text"), it->note.text},
                                           {QStringLiteral("read"), it->note.read}});
    return saved;
}

void NoteStore::restore(const QJsonObject& saved) {
    for (auto it = saved.begin(); it != saved.end(); ++it) {
        const QJsonObject note = it->toObject();
        write(it.key(), note.value(QStringLiteral("text")).toString(),
              note.value(QStringLiteral("read")).toString(), -1);
    }
}

}  // namespace kurve::views
