#include "views/common/form/save_dialog.h"

#include <QApplication>
#include <QFileDialog>
#include <QPointer>

namespace kurve::views {

void askForFile(QWidget* parent, const SaveQuestion& question,
                std::function<void(const QString& file)> write) {
    auto* dialog = new QFileDialog(parent, question.title, question.folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    if (!question.filters.isEmpty()) dialog->setNameFilters(question.filters);
    dialog->setDefaultSuffix(question.suffix);
    if (!question.name.isEmpty()) dialog->selectFile(question.name);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    // Not every window manager gives the focus back, and without it the next key finds no window.
    QObject::connect(dialog, &QDialog::finished, parent,
                     [parent, focus = QPointer<QWidget>(QApplication::focusWidget())] {
                         parent->window()->activateWindow();
                         if (focus) focus->setFocus();
                     });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(write));
    dialog->open();
}

}  // namespace kurve::views
