#include "views/runs/run_remarks.h"

#include <QEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "core/store/project.h"
#include "views/common/theme.h"

namespace kurve::views {

RunRemarks::RunRemarks(QWidget* parent) : QWidget(parent), tags_(new QLineEdit), notes_(new QPlainTextEdit) {
    tags_->setPlaceholderText(tr("Tags, separated by spaces"));
    tags_->setObjectName(QStringLiteral("inspector.tags"));
    tags_->setAccessibleName(tr("Tags of the run"));
    notes_->setPlaceholderText(tr("Notes"));
    notes_->setObjectName(QStringLiteral("inspector.notes"));
    notes_->setAccessibleName(tr("Notes on the run"));
    notes_->setFixedHeight(px(68));
    notes_->setTabChangesFocus(true);
    notes_->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kSmall));
    layout->addWidget(tags_);
    layout->addWidget(notes_);
    saveLater_.setSingleShot(true);
    saveLater_.setInterval(600);
    connect(&saveLater_, &QTimer::timeout, this, &RunRemarks::saveNotes);
    connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
        if (!filling_) saveLater_.start();
    });
    connect(tags_, &QLineEdit::editingFinished, this, &RunRemarks::saveTags);
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
        sent_.reset();
        ++sitting_;
        run_ = id;
    }
    if (run == nullptr) return;
    const QString notes = QString::fromStdString(run->notes);
    if (other || !tags_->isModified()) {
        QStringList tags;
        for (const auto& tag : run->tags) tags << QString::fromStdString(tag);
        if (const QString text = tags.join(QLatin1Char(' ')); text != tags_->text()) tags_->setText(text);
    }
    // What was just handed on takes a moment to come back; until then the list still has the older text.
    if (sent_ == notes) sent_.reset();
    if (other || (!sent_ && !saveLater_.isActive())) showNotes(notes);
}

void RunRemarks::showNotes(const QString& text) {
    if (notes_->toPlainText() == text) return;
    filling_ = true;
    notes_->setPlainText(text);
    filling_ = false;
}

void RunRemarks::saveTags() {
    if (!run_.isEmpty() && tags_->isModified())
        Q_EMIT tagsWritten(run_, tags_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    tags_->setModified(false);
}

void RunRemarks::saveNotes() {
    saveLater_.stop();
    if (run_.isEmpty()) return;
    sent_ = notes_->toPlainText();
    Q_EMIT notesWritten(run_, *sent_, sitting_);
}

void RunRemarks::editTags() {
    tags_->setFocus();
    tags_->selectAll();
}

void RunRemarks::editNotes() {
    notes_->setFocus();
}

}  // namespace kurve::views
