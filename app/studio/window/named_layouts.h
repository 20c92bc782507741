#pragma once

#include <QJsonObject>
#include <QString>
#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace kurve::studio {

/// A saved layout of the window.
struct NamedLayout {
    QString name;
    std::filesystem::path file;
    QJsonObject arrangement;  ///< LayoutStore::arrangement(); empty where `problem` is not
    QString problem;          ///< why the file cannot be used
};

/// The named layouts of a project: a JSON file each in its folder layouts/, which may be copied and shared. A
/// damaged file is listed with its problem.
class NamedLayouts {
public:
    explicit NamedLayouts(std::filesystem::path folder) : folder_(std::move(folder)) {}
    /// In alphabetical order. Reads the folder.
    [[nodiscard]] std::vector<NamedLayout> list() const;
    /// Replaces the one with this name, if there is one. Errors: layout.name, io.write.
    Status save(const QString& name, const QJsonObject& arrangement) const;
    /// Errors: layout.exists, layout.name, io.write.
    Status rename(const NamedLayout& layout, const QString& name) const;
    /// Errors: io.write.
    Status remove(const NamedLayout& layout) const;

private:
    [[nodiscard]] std::filesystem::path freeFile(const QString& name) const;

    std::filesystem::path folder_;
};

}  // namespace kurve::studio
