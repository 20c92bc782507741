#include "views/runs/run_remarks.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/store/notes.h"
#include "core/store/project.h"
#include "views/common/theme.h"

namespace kurve::views {

RunRemarks::RunRemarks(QWidget* parent)
    : QWidget(parent), tags_(new QLineEdit), notes_(new QPlainTextEdit), state_(new QLabel) {
    tags_->setPlaceholderText(tr("Tags, separated by spaces"));
    tags_->setObjectName(QStringLiteral("inspector.tags"));
    tags_->setAccessibleName(tr("Tags of the run"));
    notes_->setPlaceholderText(tr("Notes"));
    notes_->setObjectName(QStringLiteral("inspector.notes"));
    notes_->setAccessibleName(tr("Notes on the run"));
    notes_->setFixedHeight(px(68));
    notes_->setTabChangesFocus(true);
    notes_->installEventFilter(this);
    notes_->setReadOnly(true);
    state_->setObjectName(QStringLiteral("inspector.notes.state"));
    state_->setTextFormat(Qt::PlainText);
    state_->setProperty("role", "caption");
    state_->setWordWrap(true);
    state_->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kSmall));
    layout->addWidget(tags_);
    layout->addWidget(notes_);
    layout->addWidget(state_);
    saveLater_.setSingleShot(true);
    saveLater_.setInterval(600);
    connect(&saveLater_, &QTimer::timeout, this, &RunRemarks::saveNotes);
    connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
        if (!filling_) saveLater_.start();
    });
    connect(tags_, &QLineEdit::editingFinished, this, &RunRemarks::saveTags);
    connect(tags_, &QLineEdit::returnPressed, this, &RunRemarks::leaveTags);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* before, QWidget* now) {
        if (now == tags_ && before != nullptr) cameFrom_ = before;
    });
}

void RunRemarks::setWriter(NoteWriter& writer) {
    writer_ = &writer;
    notes_->setReadOnly(false);
    connect(&writer, &NoteWriter::stored, this, &RunRemarks::notesStored);
    connect(&writer, &NoteWriter::refused, this, &RunRemarks::notesRefused);
}

void RunRemarks::finish() {
    saveTags();
    if (saveLater_.isActive()) saveNotes();
}

bool RunRemarks::eventFilter(QObject* watched, QEvent* event) {
    if (watched == notes_ && event->type() == QEvent::FocusOut) {
        if (saveLater_.isActive()) saveNotes();
        ++sitting_;
    }
    return QWidget::eventFilter(watched, event);
}

void RunRemarks::setRun(const store::RunSummary* run) {
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
    const auto* waiting = writer_ ? writer_->waiting(id) : nullptr;
    if (other) {
        read_ = waiting ? waiting->read : notes;
        showNotes(waiting ? waiting->text : notes);
        notes_->document()->clearUndoRedoStacks();  // of another run
        notesRefused(id);
    } else if (waiting == nullptr) {  // else the list has the older text for a moment
        takeNotes(std::exchange(read_, notes), notes);
    }
}

void RunRemarks::showTags(const QStringList& tags) {
    if (const QString text = tags.join(QLatin1Char(' ')); text != tags_->text()) tags_->setText(text);
    shownTags_ = tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

void RunRemarks::takeNotes(const QString& before, const QString& now) {
    const QString mine = notes_->toPlainText();
    const QString both = QString::fromStdString(
        store::mergeNotes(before.toStdString(), mine.toStdString(), now.toStdString()));
    if (both != mine && both != now)
        state_->setText(tr("Also changed elsewhere meanwhile: what both wrote is kept.")), state_->show();
    showNotes(both);
}

/// Only what differs is put in, so that the cursor stays where somebody types.
void RunRemarks::showNotes(const QString& text) {
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

void RunRemarks::saveTags() {
    if (!run_.isEmpty() && tags_->isModified()) {
        const QStringList before =
            std::exchange(shownTags_, tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QStringList added = shownTags_, removed = before;
        for (const QString& tag : before) added.removeAll(tag);
        for (const QString& tag : std::as_const(shownTags_)) removed.removeAll(tag);
        if (!added.isEmpty() || !removed.isEmpty()) Q_EMIT tagsChanged(run_, added, removed);
    }
    tags_->setModified(false);
}

void RunRemarks::saveNotes() {
    saveLater_.stop();
    if (run_.isEmpty() || writer_ == nullptr) return;
    writer_->write(run_, notes_->toPlainText(), read_, sitting_);
}

void RunRemarks::notesStored(const QString& run, const NoteWriter::Note& note, const QString& stands) {
    if (run != run_) return;
    state_->hide();
    read_ = stands;
    takeNotes(note.text, stands);
    if (note.text != stands)
        state_->setText(tr("Also changed elsewhere meanwhile: what both wrote is kept.")), state_->show();
}

void RunRemarks::notesRefused(const QString& run) {
    const auto* waiting = writer_ && run == run_ ? writer_->waiting(run) : nullptr;
    if (waiting == nullptr || waiting->refusal.isEmpty()) return;
    state_->setText(tr("Not stored yet: %1. The text is kept here and is stored as soon as it can be.")
                        .arg(waiting->refusal));
    state_->show();
}

void RunRemarks::editTags() {
    tags_->setFocus();
    tags_->selectAll();
}

/// Where somebody came from: what the keys were about before.
void RunRemarks::leaveTags() {
    tags_->clearFocus();
    if (cameFrom_ != nullptr && cameFrom_->isVisible()) cameFrom_->setFocus();
}

void RunRemarks::editNotes() {
    notes_->setFocus();
}

}  // namespace kurve::views
