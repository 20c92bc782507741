#include "views/runs/run_annotations.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <algorithm>
#include <utility>

#include "core/store/notes.h"
#include "core/store/project.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

RunAnnotations::RunAnnotations(QWidget* parent)
    : QWidget(parent), tags_(new QLineEdit), notes_(new QPlainTextEdit), state_(new QLabel) {
    describe(tags_, "inspector.tags", tr("Tags of the run"),
             {.placeholder = tr("Tags, separated by spaces")});
    describe(notes_, "inspector.notes", tr("Notes on the run"), {.placeholder = tr("Notes")});
    notes_->setFixedHeight(px(68));
    notes_->setTabChangesFocus(true);
    notes_->installEventFilter(this);
    notes_->setReadOnly(true);
    describe(state_, "inspector.notes.state", {.role = "caption", .wraps = true, .hidden = true});
    state_->setTextFormat(Qt::PlainText);
    vboxIn(this, {tags_, notes_, state_}, {.margins = 0, .spacing = space::kSmall});
    saveLater_.setSingleShot(true);
    saveLater_.setInterval(600);
    connect(&saveLater_, &QTimer::timeout, this, &RunAnnotations::saveNotes);
    connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
        if (!filling_) saveLater_.start();
    });
    connect(tags_, &QLineEdit::editingFinished, this, &RunAnnotations::saveTags);
    connect(tags_, &QLineEdit::returnPressed, this, &RunAnnotations::leaveTags);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* before, QWidget* now) {
        if (now == tags_ && before != nullptr) previousFocus_ = before;
    });
}

RunAnnotations::~RunAnnotations() {
    disconnect(qApp, nullptr, this, nullptr);  // a field that is destroyed with the focus is told of
}

void RunAnnotations::setNoteStore(NoteStore& store) {
    store_ = &store;
    notes_->setReadOnly(false);
    connect(&store, &NoteStore::stored, this, &RunAnnotations::notesStored);
    connect(&store, &NoteStore::refused, this, &RunAnnotations::notesRefused);
}

void RunAnnotations::finish() {
    saveTags();
    if (saveLater_.isActive()) saveNotes();
}

bool RunAnnotations::eventFilter(QObject* watched, QEvent* event) {
    if (watched == notes_ && event->type() == QEvent::FocusOut) {
        if (saveLater_.isActive()) saveNotes();
        ++sitting_;
    }
    return QWidget::eventFilter(watched, event);
}

void RunAnnotations::setRun(const store::RunSummary* run) {
    const QString id = run ? QString::fromStdString(run->id) : QString();
    const bool other = id != run_;
    if (other) {
        finish();
        ++sitting_;
        run_ = id;
        state_->hide();
    }
    if (run == nullptr) return;
    if (other || !tags_->isModified()) {
        QStringList tags;
        for (const auto& tag : run->tags) tags << QString::fromStdString(tag);
        showTags(tags);
    }
    const QString notes = QString::fromStdString(run->notes);
    const auto* pending = store_ ? store_->pending(id) : nullptr;
    if (other) {
        read_ = pending ? pending->read : notes;
        showNotes(pending ? pending->text : notes);
        notes_->document()->clearUndoRedoStacks();  // of another run
        notesRefused(id);
    } else if (pending == nullptr) {  // else the list may still have the older text
        mergeNotes(std::exchange(read_, notes), notes);
    }
}

void RunAnnotations::showTags(const QStringList& tags) {
    if (const QString text = tags.join(QLatin1Char(' ')); text != tags_->text()) tags_->setText(text);
    shownTags_ = tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

void RunAnnotations::say(const QString& text) {
    state_->setText(text);
    state_->show();
}

void RunAnnotations::mergeNotes(const QString& before, const QString& now) {
    const QString mine = notes_->toPlainText();
    const QString both = QString::fromStdString(
        store::mergeNotes(before.toStdString(), mine.toStdString(), now.toStdString()));
    if (both != mine && both != now) say(tr("Changed elsewhere meanwhile; both edits were merged."));
    showNotes(both);
}

/// Replaces only what differs, so that the cursor stays.
void RunAnnotations::showNotes(const QString& text) {
    const QString before = notes_->toPlainText();
    if (before == text) return;
    const auto [start, same] = std::mismatch(before.begin(), before.end(), text.begin(), text.end());
    auto end = before.end();
    auto textEnd = text.end();
    while (end != start && textEnd != same && *(end - 1) == *(textEnd - 1)) --end, --textEnd;
    filling_ = true;
    QTextCursor cursor(notes_->document());
    cursor.setPosition(static_cast<int>(start - before.begin()));
    cursor.setPosition(static_cast<int>(end - before.begin()), QTextCursor::KeepAnchor);
    cursor.insertText(QString(same, static_cast<int>(textEnd - same)));
    filling_ = false;
}

void RunAnnotations::saveTags() {
    if (!run_.isEmpty() && tags_->isModified()) {
        const QStringList before =
            std::exchange(shownTags_, tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QStringList added = shownTags_;
        QStringList removed = before;
        for (const QString& tag : before) added.removeAll(tag);
        for (const QString& tag : std::as_const(shownTags_)) removed.removeAll(tag);
        if (!added.isEmpty() || !removed.isEmpty()) Q_EMIT tagsChanged(run_, added, removed);
    }
    tags_->setModified(false);
}

void RunAnnotations::saveNotes() {
    saveLater_.stop();
    if (run_.isEmpty() || store_ == nullptr) return;
    store_->write(run_, notes_->toPlainText(), read_, sitting_);
}

void RunAnnotations::notesStored(const QString& run, const NoteStore::Note& note, const QString& storedText) {
    if (run != run_) return;
    state_->hide();
    read_ = storedText;
    mergeNotes(note.text, storedText);
    if (note.text != storedText) say(tr("Changed elsewhere meanwhile; both edits were merged."));
}

void RunAnnotations::notesRefused(const QString& run) {
    const auto* pending = store_ && run == run_ ? store_->pending(run) : nullptr;
    if (pending == nullptr || pending->refusal.isEmpty()) return;
    say(tr("Not saved: %1. The text stays here; saving is retried.").arg(pending->refusal));
}

void RunAnnotations::editTags() {
    tags_->setFocus();
    tags_->selectAll();
}

/// Returns the focus to where it was before.
void RunAnnotations::leaveTags() {
    tags_->clearFocus();
    if (previousFocus_ != nullptr && previousFocus_->isVisible()) previousFocus_->setFocus();
}

void RunAnnotations::editNotes() {
    notes_->setFocus();
}

}  // namespace kurve::views
