#pragma once

#include <QStringList>

namespace kurve::views {

/// The form that brings text into the project, in a panel ("corpus").
class TextImport {
public:
    virtual ~TextImport() = default;
    /// Shows it; with files they are sorted into it and checked.
    virtual void openImport(const QStringList& /*files*/) {}
};

}  // namespace kurve::views
