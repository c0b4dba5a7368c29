#pragma once

#include <QtWidgets>
