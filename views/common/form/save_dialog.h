#pragma once

#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace kurve::views {

/// What an export asks for: a file of one kind, or of a kind that the user chooses.
struct SaveQuestion {
    QString title;
    QString suffix;            ///< of a name without one, until another filter is chosen
    QString name = {};         ///< proposed; empty: none
    QString folder = {};       ///< empty: the last one
    QStringList filters = {};  ///< "SVG figure (*.svg)"
};

/// Opens a dialog over the window of `parent` and calls `write` with the chosen file; closed, the focus is
/// where it was. The dialog is a child of `parent`. GUI thread.
void askForFile(QWidget* parent, const SaveQuestion& question,
                std::function<void(const QString& file)> write);

}  // namespace kurve::views
